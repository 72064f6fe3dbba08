// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.fault.Row;
import io.ge.redis.test.oracle.Violation;

/**
 * What came of one scenario with one implementation.
 *
 * @param pattern what is used, such as {@code lock}
 * @param fault what goes wrong
 * @param promise what has to hold
 * @param subject whose implementation it is
 * @param operations how many operations there were
 * @param faultsInjected how often something went wrong
 * @param violations how often the promise was broken; the writes that one holder has made
 * after another one count as one
 * @param kinds the violations by their kinds
 * @param worstLatencyMillis the longest of what the scenario measures
 * @param noted what is no violation but worth to know
 * @param examples some of the violations as the judges describe them
 */
record Outcome(String pattern, String fault, String promise, String subject, long operations, long faultsInjected,
		long violations, Map<String, Long> kinds, long worstLatencyMillis, String noted, List<String> examples) {

	static final String OURS = "GE Redis";

	private static final int EXAMPLES = 4;

	private static final Pattern AFTER = Pattern.compile("(.*?: )(.*) came after (.*)");

	/** A piece of a judge's text, and what to call the violation. */
	private static final Map<String, String> KINDS = kindsByText();

	private static Map<String, String> kindsByText() {
		Map<String, String> kinds = new LinkedHashMap<>();
		kinds.put("held valid locks at once", "two told at once that they hold it");
		kinds.put("was accepted after one of", "late write accepted");
		kinds.put(" came after ", "token does not rise");
		kinds.put(" admissions of ", "window above the limit");
		kinds.put("the cache has", "old value at rest");
		kinds.put("not free ", "not free again");
		kinds.put("read failed", "read failed");
		kinds.put("write failed", "write failed");
		kinds.put("calls failed", "calls failed");
		kinds.put("was told", "holder not told");
		kinds.put("did not keep the lock", "lock not kept");
		kinds.put("nobody was served", "nobody served in time");
		kinds.put("ended early", "not played to its end");
		kinds.put(" are lost", "messages lost");
		kinds.put(" are pending", "messages left pending");
		kinds.put("worked on twice", "more handled twice than were in flight");
		kinds.put(" served", "waiter not served in time");
		return kinds;
	}

	static Outcome of(FaultRun run) {
		Row row = run.row();
		Set<String> texts = new LinkedHashSet<>();
		run.violations()
			.stream()
			.map(Violation::text)
			.filter((text) -> !texts.contains(mirrored(text)))
			.forEach(texts::add);
		Map<String, Long> kinds = new LinkedHashMap<>();
		texts.forEach((text) -> kinds.merge(kind(text), 1L, Long::sum));
		List<String> examples = new ArrayList<>();
		for (String kind : kinds.keySet()) {
			texts.stream().filter((text) -> kind(text).equals(kind)).limit(EXAMPLES).forEach(examples::add);
		}
		return new Outcome(row.pattern(), row.fault(), row.promise(), row.subject(), row.operations(),
				row.faultsInjected(), texts.size(), kinds, row.worstLatencyMillis(), row.noted(), examples);
	}

	/**
	 * Two that have the same token are found from both sides.
	 */
	private static String mirrored(String text) {
		Matcher matcher = AFTER.matcher(text);
		return matcher.matches() ? matcher.group(1) + matcher.group(3) + " came after " + matcher.group(2) : "";
	}

	private static String kind(String text) {
		for (Map.Entry<String, String> kind : KINDS.entrySet()) {
			if (text.contains(kind.getKey())) {
				return kind.getValue();
			}
		}
		return "other";
	}

	boolean isOurs() {
		return this.subject.equals(OURS);
	}

	/**
	 * Whether it fails the command: a violation of ours, or a run that says nothing.
	 */
	boolean isFailure() {
		return this.operations == 0 || this.faultsInjected == 0 || (isOurs() && this.violations > 0);
	}

}
