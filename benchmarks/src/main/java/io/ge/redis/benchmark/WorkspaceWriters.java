// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.ge.redis.benchmark.report.Chart;
import io.ge.redis.benchmark.report.Table;
import io.ge.redis.state.Workspace;
import io.ge.redis.state.Workspaces;
import io.ge.redis.test.RedisNode;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Fifty writers of one document, each of which appends and puts by turns: workspaces
 * beside a document in one value, merged by a script or by WATCH and MULTI. Turns are not
 * JMH's, since one write to a large document takes longer than a turn.
 */
final class WorkspaceWriters implements AutoCloseable {

	static final String ID = "state-writers";

	private static final int WRITERS = 50;

	/** Entries that a list keeps, so that a document keeps its size. */
	private static final int LONGEST = 20;

	private static final int FIELD_BYTES = 200;

	private static final int WARM_UP_ROUNDS = 2;

	private static final double GOAL = 50;

	private static final double MOST_MILLIS = 50;

	private static final double MOST_SPREAD = 1.5;

	/** Fields of one merge patch. */
	private static final int TOGETHER = 500;

	private static final String KEY = "blob";

	private static final String ENTRY = "found it";

	// As people write it, but that lists keep their size
	private static final String MERGE = """
			local document = cjson.decode(redis.call('GET', KEYS[1]))
			if ARGV[1] == 'append' then
			  table.insert(document.history, ARGV[3])
			  if #document.history > tonumber(ARGV[4]) then
			    table.remove(document.history, 1)
			  end
			else
			  document.fields[ARGV[2]] = ARGV[3]
			end
			document.version = document.version + 1
			redis.call('SET', KEYS[1], cjson.encode(document), 'PX', 86400000)
			return document.version
			""";

	private static final JsonMapper JSON = JsonMapper.builder().build();

	private final Size size;

	private final RedisNode node;

	private final ConfigurableApplicationContext context;

	private final RedisClient client;

	private final RedisCommands<String, String> shared;

	/** Of each writer, since what is watched is the business of a connection. */
	private final List<RedisCommands<String, String>> own = new ArrayList<>();

	private final ExecutorService threads = Executors.newFixedThreadPool(WRITERS);

	WorkspaceWriters(Size size, RedisNode node) {
		this.size = size;
		this.node = node;
		// A script that merges 5 MB keeps everybody waiting
		this.context = Streams.start(node, BenchmarkApplication.class, BenchmarkApplication.NEAR,
				new String[] { "ge.redis.outage.command-timeout=60s", "ge.redis.state.max-list-length=" + LONGEST });
		this.client = RedisClient.create(RedisURI.create(node.host(), node.port()));
		this.shared = this.client.connect().sync();
		for (int i = 0; i < WRITERS; i++) {
			this.own.add(this.client.connect().sync());
		}
	}

	Table run() throws Exception {
		List<Entrant> entrants = new ArrayList<>();
		for (Document document : Document.values()) {
			entrants.add(new Entrant("Workspace", document, this::fillWorkspace, this::writeWorkspace));
			entrants.add(new Entrant("whole document, merged in Lua", document, this::fillBlob, this::merge));
			if (document != Document.HUGE) {
				entrants.add(new Entrant("whole document, WATCH and MULTI", document, this::fillBlob, this::watch));
			}
		}
		Map<Entrant, List<Turn>> turns = new LinkedHashMap<>();
		entrants.forEach((entrant) -> turns.put(entrant, new ArrayList<>()));
		for (int round = -WARM_UP_ROUNDS; round < this.size.rounds(); round++) {
			for (int i = 0; i < entrants.size(); i++) {
				Entrant entrant = entrants.get(Math.floorMod(round + i, entrants.size()));
				Turn turn = turn(entrant);
				if (round >= 0) {
					turns.computeIfAbsent(entrant, (unknown) -> new ArrayList<>()).add(turn);
				}
			}
		}
		return table(turns);
	}

	private static Table table(Map<Entrant, List<Turn>> turns) {
		Map<Document, List<Turn>> ours = new HashMap<>();
		turns.forEach((entrant, own) -> ours.putIfAbsent(entrant.document(), own));
		List<Turn> small = ours.getOrDefault(Document.SMALL, List.of());
		List<List<String>> rows = new ArrayList<>();
		List<Map<String, Object>> data = new ArrayList<>();
		Map<Document, List<Chart.Bar>> bars = new LinkedHashMap<>();
		turns.forEach((entrant, own) -> {
			boolean isOurs = own == ours.get(entrant.document());
			Spread ratio = Spread.ofRatios(ours.getOrDefault(entrant.document(), List.of()), own, Turn::perSecond);
			Spread cost = Spread.ofRatios(small, own, Turn::perSecond);
			double p99 = Spread.of(own, Turn::p99Millis).median();
			boolean reached = isOurs ? cost.median() <= MOST_SPREAD && p99 <= MOST_MILLIS : ratio.median() >= GOAL;
			rows.add(List.of(entrant.name(), entrant.document().text(), isOurs ? "-" : Comparison.format(ratio),
					isOurs ? Comparison.format(cost) : "-", reached ? "yes" : "no",
					Comparison.format("%,.0f", Spread.of(own, Turn::perSecond).median()),
					Comparison.format("%.2f", Spread.of(own, Turn::medianMillis).median()),
					Comparison.format("%,.1f", p99),
					Comparison.format("%.1f %%", Spread.of(own, Turn::conflicts).median() * 100)));
			Map<String, Object> entry = new LinkedHashMap<>();
			entry.put("contender", entrant.name());
			entry.put("document", entrant.document().text());
			entry.put("oursToIt", ratio);
			entry.put("goal", GOAL);
			entry.put("rounds", own);
			data.add(entry);
			if (!isOurs) {
				bars.computeIfAbsent(entrant.document(), (document) -> new ArrayList<>())
					.add(new Chart.Bar(entrant.name(), ratio.low() / GOAL, ratio.median() / GOAL, ratio.high() / GOAL,
							true));
			}
		});
		List<Chart.Group> groups = new ArrayList<>();
		bars.forEach((document, group) -> groups.add(new Chart.Group("document of " + document.text(), group)));
		String title = "Workspaces, " + WRITERS + " writers of one document";
		return new Table(ID, title,
				"Each writer appends and puts by turns, and lists keep " + LONGEST + " entries. To be reached: " + GOAL
						+ " times the writes of either of the others; for ours, p99 of " + MOST_MILLIS
						+ " ms and at most " + MOST_SPREAD + " times the cost of a write to the smallest document. "
						+ "Conflicts are attempts that others made vain. WATCH is left out at 5 MB: fifty copies "
						+ "under way at a time measure memory.",
				List.of("", "document", "writes/s of ours, x its own", "cost, x 1 KB", "reached", "writes/s", "p50 ms",
						"p99 ms", "conflicts"),
				rows, new Chart(title, "writes per second of ours beside the other, as a multiple of the goal (dashed)",
						1, groups),
				data);
	}

	private Turn turn(Entrant entrant) throws Exception {
		this.node.command("FLUSHALL", "SYNC");
		long before = entrant.filling().fill(entrant.document().fields());
		List<Future<Writes>> writers = new ArrayList<>();
		long begun = System.nanoTime();
		long until = begun + TimeUnit.MILLISECONDS.toNanos(this.size.contendedMillis());
		for (int i = 0; i < WRITERS; i++) {
			int writer = i;
			writers.add(this.threads.submit(() -> write(entrant, writer, until)));
		}
		Writes all = new Writes(new ArrayList<>(), 0, 0);
		for (Future<Writes> writer : writers) {
			all = all.and(writer.get(5, TimeUnit.MINUTES));
		}
		double seconds = (System.nanoTime() - begun) / 1e9;
		// Nothing was lost: versions have no gaps
		Scenarios.require(all.lastVersion() == before + all.nanos().size());
		List<Long> nanos = all.nanos().stream().sorted().toList();
		double writes = nanos.size();
		return new Turn(writes / seconds, nanos.get(nanos.size() / 2) / 1e6,
				nanos.get((int) (nanos.size() * 0.99)) / 1e6, 1 - writes / all.attempts());
	}

	private static Writes write(Entrant entrant, int writer, long until) throws Exception {
		List<Long> nanos = new ArrayList<>();
		long attempts = 0;
		long version = 0;
		do {
			long begun = System.nanoTime();
			boolean append = nanos.size() % 2 == 0;
			for (@Nullable
			Long written = null; written == null; attempts++) {
				written = entrant.writing().write(writer, append);
				version = (written != null) ? Math.max(version, written) : version;
			}
			nanos.add(System.nanoTime() - begun);
		}
		while (System.nanoTime() - until < 0);
		return new Writes(nanos, attempts, version);
	}

	// Ours

	private Workspace workspace() {
		return this.context.getBean(Workspaces.class).open("session", "101");
	}

	private long fillWorkspace(int fields) {
		long version = 0;
		Map<String, String> patch = new HashMap<>();
		for (int i = 1; i <= fields; i++) {
			patch.put("field-" + i, "x".repeat(FIELD_BYTES));
			if (patch.size() == TOGETHER || i == fields) {
				version = workspace().mergePatch(patch);
				patch.clear();
			}
		}
		return version;
	}

	private Long writeWorkspace(int writer, boolean append) {
		return append ? workspace().append("history", ENTRY) : workspace().put("status-" + writer, ENTRY);
	}

	// The others

	private long fillBlob(int fields) {
		Map<String, String> all = new LinkedHashMap<>();
		for (int i = 1; i <= fields; i++) {
			all.put("field-" + i, "x".repeat(FIELD_BYTES));
		}
		this.shared.set(KEY, JSON.writeValueAsString(new Blob(0, all, List.of(ENTRY))));
		return 0;
	}

	private Long merge(int writer, boolean append) {
		return this.shared.eval(MERGE, ScriptOutputType.INTEGER, new String[] { KEY }, append ? "append" : "put",
				"status-" + writer, ENTRY, String.valueOf(LONGEST));
	}

	private @Nullable Long watch(int writer, boolean append) {
		RedisCommands<String, String> redis = this.own.get(writer);
		redis.watch(KEY);
		Blob blob = JSON.readValue(redis.get(KEY), Blob.class);
		Map<String, String> fields = new LinkedHashMap<>(blob.fields());
		List<String> history = new ArrayList<>(blob.history());
		if (append) {
			history.add(ENTRY);
			history.subList(0, Math.max(0, history.size() - LONGEST)).clear();
		}
		else {
			fields.put("status-" + writer, ENTRY);
		}
		redis.multi();
		redis.psetex(KEY, TimeUnit.DAYS.toMillis(1),
				JSON.writeValueAsString(new Blob(blob.version() + 1, fields, history)));
		return redis.exec().wasDiscarded() ? null : Long.valueOf(blob.version() + 1);
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
		this.client.shutdown();
		this.context.close();
	}

	/**
	 * How large a document is.
	 */
	private enum Document {

		SMALL("1 KB", 5), MEDIUM("100 KB", 500), LARGE("1 MB", 5_000), HUGE("5 MB", 25_000);

		private final String text;

		private final int fields;

		Document(String text, int fields) {
			this.text = text;
			this.fields = fields;
		}

		String text() {
			return this.text;
		}

		/** Of {@value WorkspaceWriters#FIELD_BYTES} bytes each. */
		int fields() {
			return this.fields;
		}

	}

	/**
	 * Makes a document of so many fields.
	 */
	@FunctionalInterface
	private interface Filling {

		long fill(int fields);

	}

	/**
	 * One attempt to write, which returns the version, or {@code null} if others were
	 * faster.
	 */
	@FunctionalInterface
	private interface Writing {

		@Nullable Long write(int writer, boolean append);

	}

	private record Entrant(String name, Document document, Filling filling, Writing writing) {
	}

	private record Blob(long version, Map<String, String> fields, List<String> history) {
	}

	private record Writes(List<Long> nanos, long attempts, long lastVersion) {

		Writes and(Writes other) {
			List<Long> all = new ArrayList<>(this.nanos);
			all.addAll(other.nanos);
			return new Writes(all, this.attempts + other.attempts, Math.max(this.lastVersion, other.lastVersion));
		}

	}

	/**
	 * What one turn gave.
	 *
	 * @param perSecond writes
	 * @param medianMillis half of them took no longer
	 * @param p99Millis 99 of 100 took no longer
	 * @param conflicts share of attempts that were in vain
	 */
	private record Turn(double perSecond, double medianMillis, double p99Millis, double conflicts) {
	}

}
