// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import java.util.List;

/**
 * How violations come about, as their journals and the peers' sources show. Each holds
 * for the violations of one scenario, and is to be checked when those change.
 */
final class Explanations {

	private static final String COUNTED = "the token is a counter in Redis (`INCR`) that goes on from what Redis still has "
			+ "of it, so holders after a loss get tokens that were given before: too low ones the resource refuses, "
			+ "of equal ones it accepts both";

	private static final String LEFT_BEHIND = "the request that timed out reaches Redis all the same when it goes on, and "
			+ "takes the lock for nobody; nothing removes it before its lease ends";

	private static final String DEAF = "the message of the release is lost with the connection, and the waiter does not look "
			+ "at the lock again before what remained of the holder's lease (here 10 s), which is longer than it "
			+ "waits: it is refused though the lock is free";

	private static final String UNPROTECTED = "there is no token by which the resource could tell the late write from others; "
			+ "looking at the lock before a write leaves a gap after the look";

	private static final String WALL_CLOCK = "the time of a call is that of the caller's clock, so for the instance that is "
			+ "ahead ";

	private static final String LOST_PUT = "the transaction is committed, but by default nobody waits for the value to get to "
			+ "Redis or tries again, so the old value, which Redis or its file has kept, is served until its time to live ends; "
			+ "each row counts for each of the two instances";

	private static final String LATE_LOADER = "a reader that finds nothing loads the row, a writer commits and stores the next "
			+ "value, and then the reader stores the one it had loaded";

	private static final String THROWN = "by default an error of the cache is thrown to the caller, who does not get the row "
			+ "from the database instead";

	private static final List<Explanation> ALL = List.of(
			new Explanation("lock", "between its look and its write", "RLock", UNPROTECTED),
			new Explanation("lock", "between its look and its write", "RedisLockRegistry", UNPROTECTED),
			new Explanation("lock", "", "RFencedLock", "token does not rise", COUNTED),
			new Explanation("lock", "Redis hung", "", LEFT_BEHIND),
			new Explanation("lock", "push connection", "Redisson", DEAF),
			new Explanation("lock", "push connection", "RedisLockRegistry",
					"the message of the release is lost with the connection, and the waiter does not look at the lock "
							+ "again before all the time is over that it may wait (here 4 s); then it gets the lock"),
			new Explanation("rate limit", "", "Bucket4j, the limit",
					"by design: a full bucket is emptied at once and what flows in meanwhile is admitted too, up to twice "
							+ "the limit in a window; for the faults the bucket is therefore half as large"),
			new Explanation("rate limit", "clock", "Redisson",
					WALL_CLOCK + "all that the others have admitted is older than the window, and it admits anew"),
			new Explanation("rate limit", "clock", "Bucket4j",
					WALL_CLOCK + "the bucket has long been filled again: it is full once more"),
			new Explanation("stream", "killed", "claim and acknowledge",
					"whoever finds what a dead instance had in its hands acknowledges it, as a way to be rid of it, and "
							+ "nobody works on it any more; no error and no figure tells"),
			new Explanation("cache", "random operations", "",
					"all of what stands in the other tables at once: late loaders and writers, snapshots, writers that "
							+ "are killed, values of a savepoint that was rolled back"),
			new Explanation("cache", "kill -9 between", "",
					"what follows the commit dies with the process, and no one else knows "
							+ "that the row has changed: the old value is served until its time to live ends"),
			new Explanation("cache", "writer paused", "",
					"each writer stores what it has written whenever it gets to it: "
							+ "one that comes late overwrites the newer value of another one"),
			new Explanation("cache", "loader paused", "",
					"whoever has loaded stores it whatever has happened since, so a "
							+ "late reader overwrites the newer value of a writer"),
			new Explanation("cache", "REPEATABLE READ", "",
					"the reader stores what its transaction sees, which is older than what was committed meanwhile"),
			new Explanation("cache", "FLUSHALL", "", LATE_LOADER),
			new Explanation("cache", "maxmemory", "", LATE_LOADER),
			new Explanation("cache", "Redis killed", "", "old value at rest", LOST_PUT),
			new Explanation("cache", "Redis hung", "", "old value at rest", LOST_PUT),
			new Explanation("cache", "network cut", "", "old value at rest", LOST_PUT),
			new Explanation("cache", "under load", "", "failed", THROWN));

	private Explanations() {
	}

	static String of(Outcome row) {
		List<String> texts = ALL.stream()
			.filter((explanation) -> explanation.fits(row))
			.map(Explanation::text)
			.distinct()
			.toList();
		return texts.isEmpty() ? "not explained: " + row.examples().get(0) : String.join("; ", texts) + ".";
	}

	private record Explanation(String pattern, String fault, String subject, String kind, String text) {

		Explanation(String pattern, String fault, String subject, String text) {
			this(pattern, fault, subject, "", text);
		}

		boolean fits(Outcome row) {
			return !row.isOurs() && row.pattern().equals(this.pattern) && row.fault().contains(this.fault)
					&& row.subject().contains(this.subject)
					&& row.kinds().keySet().stream().anyMatch((kind) -> kind.contains(this.kind));
		}

	}

}
