// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.ge.redis.test.Sources;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Pages, main code, descriptions and messages are in plain English: short sentences and
 * standard terms, always the same ones.
 */
class PlainEnglishTests {

	private static final int LONGEST_SENTENCE = 25;

	private static final int MOST_LONG_SENTENCES = 20;

	/** Words that readers stumble over, and what to write instead. */
	private static final Map<Pattern, String> GLOSSARY = new Glossary()
		.add("(is|are|was|were|be|been|goes|go|going|went|gone) away", "is unavailable, outage")
		.add("(take|takes|taking|took|taken|give|gives|giving|gave|given)( \\w+){0,2} back",
				"compensate; release, refund")
		.add("tells? of|how the end has gone", "completion, publishes completion events")
		.add("(take|takes|taking|took|taken|go|goes|going|went|gone)( \\w+)? along", "propagates")
		.add("(stand|stands|standing|stood) still", "is paused")
		.add("(row|block|entry|revocation|record|announcement|token|subscription)s?( that)?( still)? (stand|stands|stood)",
				"exists")
		.add("news", "invalidation, change notification")
		.add("LaterReader", "async (AsyncReader)")
		.add("landings?|gather(s|ed|ing|ings)?", "load result, batch")
		.add("(?<!\\.)witness(es|ed)?(?![=-])", "transactional record")
		.add("candidac(y|ies)|standings|(its|their|your|one's) turns?", "queued waiter, position, limit state")
		.add("(is|are|was|were|be|been) passed by", "is bypassed")
		.add("whoever|who comes?|who cancels", "the caller, subsequent callers; cancelling ...")
		.add("shares? places?|makes? place", "set associativity")
		.add("(callers?|that|who) (has|have|had) gone", "an abandoned call")
		.patterns();

	/** Words in names, comments, messages and scripts of main code, too. */
	private static final Map<Pattern, String> WORDS_OF_CODE = new Glossary()
		.add("is ?away|goes? away", "is unavailable, outage")
		.add("(give[sn]?|giving|take[sn]?|taking)( back|Back\\w*)", "compensate; release, refund")
		.add("(?-i:\\w+News)", "invalidation, change notification")
		.add("(?-i:witness\\w*)", "transactional record")
		.add("landing|lands", "load result")
		.add("tellAll|tells|told", "notifies, reports; notified")
		.add("door", "entry point")
		.add("\\w*Wish", "request")
		.add("urge\\w*", "wake")
		.add("dice", "random")
		.add("passBy|pass(ed|es)? by", "is bypassed, is skipped")
		.add("goOn|goes on|go on", "continue")
		.add("candidacy", "queued waiter, position")
		.add("stand(s|ing)? (in|there|for)", "replaces, exists, means")
		.add("fleet", "all instances")
		.add("somebody|nobody|anybody|everybody|whoever", "a caller, no caller, callers that ...")
		.add("who (asks|comes|has|waits|wants)", "a caller that ...")
		.add("that of", "name the noun again")
		.patterns();

	/** Names that are promises: properties, their records, members of the endpoint. */
	private static final Pattern PROMISED_NAMES = Pattern.compile("ge\\.redis\\.idempotency\\.witness[\\w-]*"
			+ "|@param (?:witness\\w*|told)|WitnessMode witness|\\.witness\\(\\)|\"witness\"|\\bwitnessPurgeInterval|int told\\b");

	private static final Pattern COMMENT_BREAK = Pattern.compile("\\s*\n\\s*(?:\\*(?!/)|//|--)? ?");

	private static final Pattern HEADLESS = Pattern.compile(
			"/\\*\\*[\\s*]*(?:What|Who(?:ever)?|Tells|Whose|Of|As|How" + "|Where|That|Those|Both|Also|Since|Among)\\b");

	private static final Pattern JAVADOC_BLOCK = Pattern
		.compile("</?(?:p|ul|ol|li|pre|h\\d|table|tr|t[dh])\\b[^>]*>|@(?:param|throws) \\S+|@return|@see");

	private static final Pattern RAW_TAG = Pattern.compile("\\{@\\w+");

	private static final Pattern INLINE_TAG = Pattern.compile("\\{@\\w+[^}]*}");

	private static final Pattern JAVADOC = Pattern.compile("(?<=^[\\t ]{0,99})/\\*\\*.*?\\*/",
			Pattern.DOTALL | Pattern.MULTILINE);

	private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\n]|\\\\.)+)\"");

	private static final Pattern SENTENCE_END = Pattern.compile("(?<=[.:;!?])\\s+", Pattern.UNICODE_CHARACTER_CLASS);

	private static final Pattern WORD = Pattern.compile("[A-Za-z0-9'`@_.-]+");

	@Test
	void longSentencesAreFew() {
		Map<String, String> pages = Pages.all();
		pages.put("CONTRIBUTING.md", Pages.read(Sources.ROOT.resolve("CONTRIBUTING.md")));
		List<String> sentences = new ArrayList<>();
		pages.forEach((page, text) -> longSentences(text).forEach((sentence) -> sentences.add(page + ": " + sentence)));
		assertThat(sentences).as(() -> String.join("\n", sentences)).hasSizeLessThanOrEqualTo(MOST_LONG_SENTENCES);
	}

	@Test
	void pagesKeepToTheGlossary() {
		List<String> found = new ArrayList<>();
		Pages.all().forEach((page, text) -> check(page, Pages.prose(text), found));
		assertThat(found).isEmpty();
	}

	@Test
	void javadocKeepsToTheGlossary() {
		List<String> found = new ArrayList<>();
		for (Path file : Sources.ofLibrary("src/main/java", ".java")) {
			Matcher comments = JAVADOC.matcher(Pages.read(file));
			while (comments.find()) {
				check(file.getFileName().toString(), javadoc(comments.group()), found);
			}
		}
		assertThat(found).isEmpty();
	}

	@Test
	void codeKeepsToTheGlossary() {
		List<String> found = new ArrayList<>();
		for (Path file : mainCode()) {
			checkCode(file.getFileName().toString(), Pages.read(file), found);
		}
		assertThat(found).isEmpty();
	}

	@Test
	void javadocIsInShortSentencesWithSubjectOrVerb() {
		List<String> found = new ArrayList<>();
		for (Path file : mainCode()) {
			checkJavadoc(file.getFileName().toString(), Pages.read(file), found);
		}
		assertThat(found).isEmpty();
	}

	@Test
	void messagesKeepToTheGlossary() {
		List<String> found = new ArrayList<>();
		for (Path file : Sources.ofLibrary("src/main/java", ".java")) {
			// a message of several lines is one
			String code = Pages.read(file).replaceAll("\"\\s*\\+\\s*\"", "");
			Matcher literals = LITERAL.matcher(code);
			while (literals.find()) {
				if (literals.group(1).contains(" ")) {
					check(file.getFileName().toString(), literals.group(1), found);
				}
			}
		}
		assertThat(found).isEmpty();
	}

	@Test
	void descriptionsKeepToTheGlossary() throws IOException {
		List<String> found = new ArrayList<>();
		ConfigurationMetadata.fromClasspath().descriptions().forEach((name, description) -> {
			check(name, description, found);
			if (RAW_TAG.matcher(description).find()) {
				found.add(name + ": '" + description + "' has a tag of Javadoc, which editors show as it is");
			}
		});
		assertThat(found).isEmpty();
	}

	@Test
	void violationsAreFound() {
		List<String> found = new ArrayList<>();
		check("page", Pages.prose("""
				While Redis is
				away, `is away` and the `witness` are code. It takes nothing back.
				<!-- news -->
				What was taken stays taken, and flights are in flight.
				"""), found);
		assertThat(found).containsExactly("page: 'is away' (instead: is unavailable, outage)",
				"page: 'takes nothing back' (instead: compensate; release, refund)");
		found.clear();
		check("comment", javadoc("/**\n * Whoever\n * comes, {@code is away}.\n */"), found);
		assertThat(found).hasSize(1);
		found.clear();
		checkCode("code", """
				// Nobody
				/** With {@code ge.redis.idempotency.witness} the caller
				 * goes
				 * on. */
				void giveBack(WitnessMode witness);
				""", found);
		assertThat(found).hasSize(3);
		found.clear();
		checkJavadoc("comment", "/**\n\t * How it is.\n\t */ /** Returns how it is. */", found);
		assertThat(found).hasSize(1);
		found.clear();
		checkJavadoc("comment",
				"/** A " + "word ".repeat(13) + "<p>" + "word ".repeat(13) + " @return " + "word ".repeat(26) + "*/",
				found);
		assertThat(found).hasSize(1);
		String words = "word ".repeat(26).strip();
		assertThat(longSentences("# " + words + "\n| " + words + " |\n```\n" + words + "\n```\n")).isEmpty();
		assertThat(longSentences(words + ".")).hasSize(1);
		assertThat(longSentences(words.replaceFirst("word ", "word; ") + ".")).isEmpty();
	}

	private static void check(String where, String text, List<String> found) {
		check(where, text, GLOSSARY, found);
	}

	private static void check(String where, String text, Map<Pattern, String> glossary, List<String> found) {
		String line = text.replaceAll("\\s+", " ");
		glossary.forEach((pattern, instead) -> {
			Matcher matcher = pattern.matcher(line);
			while (matcher.find()) {
				found.add(where + ": '" + matcher.group() + "' (instead: " + instead + ")");
			}
		});
	}

	private static List<Path> mainCode() {
		List<Path> files = new ArrayList<>(Sources.ofLibrary("src/main/java", ".java"));
		files.addAll(Sources.ofLibrary("src/main/resources", ".lua"));
		return files;
	}

	private static void checkCode(String file, String code, List<String> found) {
		check(file, PROMISED_NAMES.matcher(COMMENT_BREAK.matcher(code).replaceAll(" ")).replaceAll("X"), WORDS_OF_CODE,
				found);
	}

	private static void checkJavadoc(String file, String code, List<String> found) {
		Matcher comments = JAVADOC.matcher(code);
		while (comments.find()) {
			if (HEADLESS.matcher(comments.group()).lookingAt()) {
				found.add(file + ": no subject or verb: " + comments.group());
			}
			String text = COMMENT_BREAK.matcher(comments.group()).replaceAll(" ");
			JAVADOC_BLOCK.splitAsStream(INLINE_TAG.matcher(text).replaceAll("X"))
				.flatMap((block) -> longSentences(block).stream())
				.forEach((sentence) -> found.add(file + ": too long: " + sentence));
		}
	}

	private static String javadoc(String comment) {
		return INLINE_TAG.matcher(comment.replaceAll("\\s*\n\\s*\\*? ?", " "))
			.replaceAll("X")
			.replaceAll("@param \\w+", "");
	}

	private static List<String> longSentences(String text) {
		String prose = Pages.withoutBlocks(text)
			.lines()
			.filter((line) -> !line.stripLeading().startsWith("|") && !line.stripLeading().startsWith("#"))
			.collect(Collectors.joining("\n"));
		return SENTENCE_END.splitAsStream(prose)
			.filter((sentence) -> WORD.matcher(sentence).results().count() > LONGEST_SENTENCE)
			.map((sentence) -> sentence.replaceAll("\\s+", " "))
			.toList();
	}

	private static final class Glossary {

		private final Map<Pattern, String> patterns = new TreeMap<>(
				(left, right) -> left.pattern().compareTo(right.pattern()));

		Glossary add(String words, String instead) {
			this.patterns.put(Pattern.compile("\\b(?:" + words + ")\\b", Pattern.CASE_INSENSITIVE), instead);
			return this;
		}

		Map<Pattern, String> patterns() {
			return this.patterns;
		}

	}

}
