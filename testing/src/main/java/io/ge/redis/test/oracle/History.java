// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.oracle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The journals of all processes of a run, and what can be judged from them. A judge names
 * only what is certain: where a line leaves open when exactly something happened, the
 * reading counts that accuses nobody.
 */
public final class History {

	private final List<Entry> entries;

	private History(List<Entry> entries) {
		this.entries = entries;
	}

	/**
	 * Reads all journals of a directory.
	 * @param directory the directory
	 * @return the history
	 */
	public static History read(Path directory) {
		List<Entry> entries = new ArrayList<>();
		try (Stream<Path> files = Files.list(directory)) {
			for (Path file : files.filter((path) -> path.toString().endsWith(Journal.SUFFIX)).sorted().toList()) {
				read(file, entries);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		entries.sort(Comparator.comparingLong(Entry::nanos));
		return new History(List.copyOf(entries));
	}

	private static void read(Path file, List<Entry> entries) throws IOException {
		String name = file.getFileName().toString();
		String process = name.substring(0, name.length() - Journal.SUFFIX.length());
		String text = Files.readString(file);
		// Who is writing may not have come to the end of its line
		for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
			String[] parts = line.split("\t", -1);
			List<String> fields = new ArrayList<>();
			for (int i = 2; i < parts.length; i++) {
				fields.add(URLDecoder.decode(parts[i], StandardCharsets.UTF_8));
			}
			entries.add(new Entry(Long.parseLong(parts[0]), process, parts[1], List.copyOf(fields)));
		}
	}

	/**
	 * All lines in the order of their times.
	 * @return the lines
	 */
	public List<Entry> entries() {
		return this.entries;
	}

	/**
	 * The lines of a kind in the order of their times.
	 * @param kind the kind
	 * @return the lines
	 */
	public List<Entry> entries(String kind) {
		return this.entries.stream().filter((entry) -> entry.kind().equals(kind)).toList();
	}

	/**
	 * How many lines of a kind there are.
	 * @param kind the kind
	 * @return the number
	 */
	public long count(String kind) {
		return entries(kind).size();
	}

	/**
	 * Two were in the critical section of a key at the same time, from
	 * {@link Journal#ENTER} to {@link Journal#LEAVE}. A section that was not left ends
	 * with the death of its process, and else with its last sign.
	 * @return a violation for each pair
	 */
	public List<Violation> overlaps() {
		return overlaps(sections(Journal.LEAVE), "were in the section at once");
	}

	/**
	 * Two were told at the same time that their lock is valid: the span of a holder goes
	 * from {@link Journal#ENTER} to its last {@link Journal#VALID}.
	 * @return a violation for each pair
	 */
	public List<Violation> validOverlaps() {
		return overlaps(sections(Journal.VALID), "held valid locks at once");
	}

	private List<Violation> overlaps(Map<String, List<Section>> sections, String text) {
		List<Violation> violations = new ArrayList<>();
		sections.forEach((key, ofKey) -> {
			for (int i = 0; i < ofKey.size(); i++) {
				Section first = ofKey.get(i);
				// In the order of their starts: none after the end of the first one
				// overlaps
				for (int j = i + 1; j < ofKey.size() && ofKey.get(j).start - first.end < 0; j++) {
					Section second = ofKey.get(j);
					long nanos = Math.min(first.end, second.end) - Math.max(first.start, second.start);
					if (nanos > 0) {
						violations.add(new Violation(key + ": " + first + " and " + second + " " + text + " for "
								+ Duration.ofNanos(nanos)));
					}
				}
			}
		});
		return violations;
	}

	/**
	 * A later holder of a key got no higher token than an earlier one: one who asked
	 * after the other had entered. Tokens below one are none.
	 * @return a violation for each holder whose token does not rise
	 */
	public List<Violation> fencingOrder() {
		List<Violation> violations = new ArrayList<>();
		sections(Journal.LEAVE).forEach((key, ofKey) -> {
			Highest tokens = Highest.of(ofKey, (section) -> section.start, (section) -> section.token);
			Map<Long, Integer> holders = new HashMap<>();
			ofKey.forEach((section) -> holders.merge(section.token, 1, Integer::sum));
			for (Section later : ofKey) {
				boolean suspect = tokens.before(later.asked) >= later.token || holders.get(later.token) > 1;
				for (Section earlier : (later.token > 0 && suspect) ? ofKey : List.<Section>of()) {
					boolean inOrder = earlier.start - later.asked < 0;
					boolean same = earlier != later && earlier.token == later.token;
					if ((inOrder && earlier.token >= later.token) || same) {
						violations.add(new Violation(key + ": " + later + " came after " + earlier));
						break;
					}
				}
			}
		});
		return violations;
	}

	/**
	 * The resource accepted a {@link Journal#WRITTEN} of a former holder after one of a
	 * later holder: one who asked for the lock after the other had entered.
	 * @return a violation for each such write
	 */
	public List<Violation> staleWrites() {
		Map<Holder, List<Section>> sections = byHolder(sections(Journal.LEAVE));
		Map<String, List<Write>> writes = new LinkedHashMap<>();
		for (Entry entry : entries(Journal.WRITTEN)) {
			Section section = find(sections, entry);
			if (section != null) {
				writes.computeIfAbsent(entry.field(0), (key) -> new ArrayList<>()).add(new Write(entry, section));
			}
		}
		List<Violation> violations = new ArrayList<>();
		writes.forEach((key, ofKey) -> {
			Highest asked = Highest.of(ofKey, (write) -> write.entry.nanos(), (write) -> write.section.asked);
			for (Write write : ofKey) {
				boolean suspect = asked.before(write.entry.number(2)) > write.section.start;
				for (Write before : suspect ? ofKey : List.<Write>of()) {
					if (before.entry.nanos() - write.entry.number(2) < 0
							&& write.section.start - before.section.asked < 0) {
						violations.add(new Violation(key + ": a write of " + write.section
								+ " was accepted after one of " + before.section));
						break;
					}
				}
			}
		});
		return violations;
	}

	private Map<String, List<Section>> sections(String last) {
		Map<String, Long> deaths = new HashMap<>();
		entries(Journal.DIED).forEach((entry) -> deaths.put(entry.field(0), entry.nanos()));
		Map<String, List<Section>> sections = new LinkedHashMap<>();
		for (Entry entry : this.entries) {
			if (entry.kind().equals(Journal.ENTER)) {
				Section section = new Section(entry);
				Long death = deaths.get(entry.process());
				if (death != null && last.equals(Journal.LEAVE)) {
					section.end = Math.max(death, section.start);
				}
				sections.computeIfAbsent(entry.field(0), (key) -> new ArrayList<>()).add(section);
			}
		}
		Map<Holder, List<Section>> byHolder = byHolder(sections);
		for (Entry entry : this.entries) {
			boolean sign = entry.kind().equals(Journal.VALID) || entry.kind().equals(Journal.LEAVE);
			Section section = sign ? find(byHolder, entry) : null;
			if (section == null) {
				continue;
			}
			if (entry.kind().equals(Journal.LEAVE) && last.equals(Journal.LEAVE)) {
				section.end = entry.nanos();
			}
			else if (entry.kind().equals(Journal.VALID)) {
				section.end = Math.max(section.end, entry.nanos());
			}
		}
		return sections;
	}

	private static Map<Holder, List<Section>> byHolder(Map<String, List<Section>> sections) {
		Map<Holder, List<Section>> byHolder = new HashMap<>();
		sections.forEach((key,
				ofKey) -> ofKey.forEach((section) -> byHolder
					.computeIfAbsent(new Holder(key, section.process, section.token), (holder) -> new ArrayList<>())
					.add(section)));
		return byHolder;
	}

	private static @Nullable Section find(Map<Holder, List<Section>> sections, Entry entry) {
		// The last one, since a token can come twice where Redis has lost what it was
		Section found = null;
		Holder holder = new Holder(entry.field(0), entry.process(), entry.number(1));
		for (Section section : sections.getOrDefault(holder, List.of())) {
			if (found == null || section.start - entry.nanos() <= 0) {
				found = section;
			}
		}
		return found;
	}

	/**
	 * A key had more than one {@link Journal#EFFECT}.
	 * @return a violation for each such key
	 */
	public List<Violation> effectsPerKey() {
		Map<String, Integer> effects = new TreeMap<>();
		entries(Journal.EFFECT).forEach((entry) -> effects.merge(entry.field(0), 1, Integer::sum));
		List<Violation> violations = new ArrayList<>();
		effects.forEach((key, number) -> {
			if (number > 1) {
				violations.add(new Violation(key + ": " + number + " effects"));
			}
		});
		return violations;
	}

	/**
	 * More calls of a key were {@link Journal#ADMITTED} within a window than its limit:
	 * so many that were asked and answered inside it.
	 * @param limit the limit
	 * @param window the window, which may start at any time
	 * @return a violation for the worst window of each such key
	 */
	public List<Violation> admissionsPerWindow(long limit, Duration window) {
		return admissionsPerWindow((entry) -> entry.kind().equals(Journal.ADMITTED), limit, window);
	}

	/**
	 * As {@link #admissionsPerWindow(long, Duration)}, of some admissions.
	 * @param counted which lines count, with the key and when it was asked
	 * @param limit the limit
	 * @param window the window, which may start at any time
	 * @return a violation for the worst window of each such key
	 */
	public List<Violation> admissionsPerWindow(Predicate<Entry> counted, long limit, Duration window) {
		Map<String, List<Entry>> admitted = new TreeMap<>();
		this.entries.stream()
			.filter(counted)
			.forEach((entry) -> admitted.computeIfAbsent(entry.field(0), (key) -> new ArrayList<>()).add(entry));
		List<Violation> violations = new ArrayList<>();
		admitted.forEach((key, entries) -> {
			int most = mostWithin(entries, window.toNanos());
			if (most > limit) {
				violations.add(new Violation(key + ": " + most + " admissions of " + limit + " within " + window));
			}
		});
		return violations;
	}

	private static int mostWithin(List<Entry> admitted, long window) {
		List<Entry> ordered = new ArrayList<>(admitted);
		ordered.sort(Comparator.comparingLong((entry) -> entry.number(1)));
		long[] asked = ordered.stream().mapToLong((entry) -> entry.number(1)).toArray();
		int most = 0;
		for (int first = 0; first < asked.length; first++) {
			int within = 0;
			for (int i = first; i < asked.length && asked[i] - asked[first] < window; i++) {
				if (ordered.get(i).nanos() - asked[first] < window) {
					within++;
				}
			}
			most = Math.max(most, within);
		}
		return most;
	}

	/**
	 * The cache answers something else than the database when nothing is under way any
	 * more: the last {@link Journal#CACHED} of a key against the last
	 * {@link Journal#STORED}. A cache without the key is right.
	 * @return a violation for each such key
	 */
	public List<Violation> staleAtRest() {
		Map<String, Entry> stored = new TreeMap<>();
		entries(Journal.STORED).forEach((entry) -> stored.put(entry.field(0), entry));
		Map<String, Entry> cached = new TreeMap<>();
		entries(Journal.CACHED).forEach((entry) -> cached.put(entry.field(0) + " of " + entry.process(), entry));
		List<Violation> violations = new ArrayList<>();
		cached.forEach((key, entry) -> {
			Entry truth = stored.get(entry.field(0));
			boolean known = entry.fields().size() > 1;
			if (known && (truth == null || !truth.field(1).equals(entry.field(1)))) {
				violations.add(new Violation(key + ": the cache has " + entry.field(1) + ", the database "
						+ ((truth != null) ? truth.field(1) : "nothing")));
			}
		});
		return violations;
	}

	/**
	 * A token was {@link Journal#ACCEPTED} though that was asked later than promised
	 * after it was {@link Journal#REVOKED}.
	 * @param bound how long a revocation may take to be known
	 * @return a violation for each such acceptance
	 */
	public List<Violation> acceptedAfterRevocation(Duration bound) {
		Map<String, Long> revoked = new HashMap<>();
		entries(Journal.REVOKED).forEach((entry) -> revoked.putIfAbsent(entry.field(0), entry.nanos()));
		List<Violation> violations = new ArrayList<>();
		for (Entry entry : entries(Journal.ACCEPTED)) {
			Long since = revoked.get(entry.field(0));
			if (since != null && entry.number(1) - since > bound.toNanos()) {
				violations.add(new Violation(entry.field(0) + ": accepted by " + entry.process() + " "
						+ Duration.ofNanos(entry.number(1) - since) + " after its revocation"));
			}
		}
		return violations;
	}

	private record Write(Entry entry, Section section) {
	}

	private record Holder(String key, String process, long token) {
	}

	/**
	 * The highest of some numbers up to any time, so that what is beyond doubt need not
	 * be compared with everything before it.
	 */
	private static final class Highest {

		private final NavigableMap<Long, Long> highest = new TreeMap<>();

		static <T> Highest of(List<T> ofKey, ToLongFunction<T> time, ToLongFunction<T> number) {
			Highest highest = new Highest();
			long most = Long.MIN_VALUE;
			for (T one : ofKey.stream().sorted(Comparator.comparingLong(time)).toList()) {
				most = Math.max(most, number.applyAsLong(one));
				highest.highest.put(time.applyAsLong(one), most);
			}
			return highest;
		}

		long before(long time) {
			Map.Entry<Long, Long> last = this.highest.lowerEntry(time);
			return (last != null) ? last.getValue() : Long.MIN_VALUE;
		}

	}

	private static final class Section {

		private final String process;

		private final long token;

		private final long asked;

		private final long start;

		private long end;

		private Section(Entry enter) {
			this.process = enter.process();
			this.token = enter.number(1);
			this.asked = enter.number(2);
			this.start = enter.nanos();
			this.end = enter.nanos();
		}

		@Override
		public String toString() {
			return this.process + " with token " + this.token;
		}

	}

}
