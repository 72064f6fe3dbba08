// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.test.instance.Operation;
import io.ge.redis.test.oracle.FencedCounter;
import io.ge.redis.test.oracle.Journal;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What instances do in a {@link LockScenario}, for applications that have a
 * {@link LockPort}. The resource that the lock protects is a {@link FencedCounter} of the
 * key, in a file.
 */
@Configuration(proxyBeanMethods = false)
public class LockOperations {

	/** How often a holder looks whether it still is one, and writes. */
	private static final Duration STEP = Duration.ofMillis(5);

	private static final Duration WITHOUT_LOCK = Duration.ofMillis(20);

	/** Names the sections of locks without tokens. */
	private final AtomicLong numbers = new AtomicLong();

	/** Keys whose holder is to leave. */
	private final Set<String> leaving = ConcurrentHashMap.newKeySet();

	/** Keys of which there have been enough sections. */
	private final Set<String> over = ConcurrentHashMap.newKeySet();

	private final LockPort locks;

	private final Journal journal;

	LockOperations(LockPort locks, Journal journal) {
		this.locks = locks;
		this.journal = journal;
	}

	/**
	 * One critical section. Arguments: key, wait, lease and work in milliseconds. Result:
	 * {@code done}, {@code lost} or {@code refused}.
	 * @return the operation
	 */
	@Bean
	public Operation section() {
		return (arguments) -> section(arguments[0], millis(arguments[1]), millis(arguments[2]), millis(arguments[3]));
	}

	/**
	 * Has the holder of a key leave its section. Arguments: key.
	 * @return the operation
	 */
	@Bean
	public Operation leave() {
		return (arguments) -> String.valueOf(this.leaving.add(arguments[0]));
	}

	/**
	 * Lets no further section of a key follow. Arguments: key.
	 * @return the operation
	 */
	@Bean
	public Operation enough() {
		return (arguments) -> String.valueOf(this.over.add(arguments[0]));
	}

	/**
	 * One critical section after the other. Arguments: as for a section, and for how long
	 * in milliseconds, unless there are enough before. Result: the numbers of those done,
	 * lost, refused and failed, and the longest wait for a lock in milliseconds.
	 * @return the operation
	 */
	@Bean
	public Operation sections() {
		return (arguments) -> {
			long end = System.nanoTime() + millis(arguments[4]).toNanos();
			int[] counts = new int[4];
			while (System.nanoTime() - end < 0 && !this.over.contains(arguments[0])) {
				try {
					switch (section(arguments[0], millis(arguments[1]), millis(arguments[2]), millis(arguments[3]))) {
						case "done" -> counts[0]++;
						case "lost" -> counts[1]++;
						default -> {
							counts[2]++;
							Thread.sleep(WITHOUT_LOCK.toMillis());
						}
					}
				}
				catch (RuntimeException ex) {
					counts[3]++;
					Thread.sleep(WITHOUT_LOCK.toMillis());
				}
			}
			return counts[0] + " " + counts[1] + " " + counts[2] + " " + counts[3];
		};
	}

	private String section(String key, Duration wait, Duration lease, Duration work) throws Exception {
		long asked = System.nanoTime();
		LockPort.Held held = this.locks.acquire(key, wait, lease);
		if (held == null) {
			return "refused";
		}
		long token = (held.token() > 0) ? held.token() : -this.numbers.incrementAndGet();
		this.journal.write(Journal.ENTER, key, token, asked);
		try {
			return work(key, held, token, work);
		}
		finally {
			held.release();
		}
	}

	private String work(String key, LockPort.Held held, long token, Duration work) throws InterruptedException {
		FencedCounter counter = counter(this.journal.directory(), key);
		long end = System.nanoTime() + work.toNanos();
		while (true) {
			long before = System.nanoTime();
			boolean valid = held.isValid();
			if (valid) {
				this.journal.writeAt(before, Journal.VALID, key, token);
			}
			// A holder that has just lost its lock may be about to write. Without a token
			// it is not made to, since only what it was told could keep it from that
			if (valid || held.token() > 0) {
				long asked = System.nanoTime();
				boolean accepted = counter.add(held.token());
				this.journal.write(accepted ? Journal.WRITTEN : LockScenario.REFUSED_WRITE, key, token, asked);
			}
			if (!valid) {
				this.journal.write(LockScenario.LOST, key, token);
				return "lost";
			}
			long left = end - System.nanoTime();
			if (left <= 0 || this.leaving.remove(key)) {
				this.journal.write(Journal.LEAVE, key, token);
				return "done";
			}
			Thread.sleep(Duration.ofNanos(Math.min(left, STEP.toNanos())).toMillis() + 1);
		}
	}

	/**
	 * What the lock of a key protects.
	 */
	static FencedCounter counter(Path directory, String key) {
		return new FencedCounter(directory.resolve("counter-" + key));
	}

	private static Duration millis(String text) {
		return Duration.ofMillis(Long.parseLong(text));
	}

}
