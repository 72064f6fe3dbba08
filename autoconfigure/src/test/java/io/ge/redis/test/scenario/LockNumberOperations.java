// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.ge.redis.test.instance.Operation;
import io.ge.redis.test.oracle.Journal;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What instances do in a {@link LockNumberScenario}: many short things, whose moments
 * they tell at once instead of writing them down. Locks must belong to no thread. Times
 * are those of {@link System#nanoTime()}, which all processes of a machine share.
 */
@Configuration(proxyBeanMethods = false)
public class LockNumberOperations {

	private final LockPort locks;

	private final Journal journal;

	private final Map<String, LockPort.Held> held = new ConcurrentHashMap<>();

	private final ExecutorService threads = Executors.newCachedThreadPool((task) -> {
		Thread thread = new Thread(task, "lock-numbers");
		thread.setDaemon(true);
		return thread;
	});

	LockNumberOperations(LockPort locks, Journal journal) {
		this.locks = locks;
		this.journal = journal;
	}

	/**
	 * Takes locks and keeps them. Arguments: wait and lease in milliseconds, keys.
	 * Result: {@code held}, or {@code refused} if one of them was.
	 * @return the operation
	 */
	@Bean
	public Operation take() {
		return (arguments) -> {
			for (String key : keys(arguments)) {
				LockPort.Held lock = this.locks.acquire(key, millis(arguments[0]), millis(arguments[1]));
				if (lock == null) {
					return "refused";
				}
				this.held.put(key, lock);
			}
			return "held";
		};
	}

	/**
	 * Releases a lock that was taken. Arguments: key. Result: the moment before.
	 * @return the operation
	 */
	@Bean
	public Operation give() {
		return (arguments) -> {
			LockPort.Held lock = this.held.remove(arguments[0]);
			long before = System.nanoTime();
			lock.release();
			return String.valueOf(before);
		};
	}

	/**
	 * Takes locks, all at once, and releases each as soon as it is there. Arguments: wait
	 * and lease in milliseconds, keys. Result: for each key the moment at which it was
	 * there, or 0 if it was refused.
	 * @return the operation
	 */
	@Bean
	public Operation pass() {
		return (arguments) -> {
			List<CompletableFuture<String>> passing = new ArrayList<>();
			for (String key : keys(arguments)) {
				passing.add(CompletableFuture.supplyAsync(
						() -> String.valueOf(pass(key, millis(arguments[0]), millis(arguments[1]))), this.threads));
			}
			return String.join(" ", passing.stream().map(CompletableFuture::join).toList());
		};
	}

	private long pass(String key, Duration wait, Duration lease) {
		try {
			LockPort.@Nullable Held lock = this.locks.acquire(key, wait, lease);
			long now = System.nanoTime();
			if (lock == null) {
				return 0;
			}
			lock.release();
			return now;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Asks of locks that were taken, without a pause, whether they are valid, and gives
	 * them up in the end. Arguments: for how long in milliseconds, ignored, keys. Result:
	 * for each key the moment before it was last found valid.
	 * @return the operation
	 */
	@Bean
	public Operation watch() {
		return (arguments) -> {
			List<String> keys = keys(arguments);
			long[] valid = new long[keys.size()];
			long end = System.nanoTime() + millis(arguments[0]).toNanos();
			while (System.nanoTime() - end < 0) {
				for (int i = 0; i < valid.length; i++) {
					LockPort.Held lock = this.held.get(keys.get(i));
					long before = System.nanoTime();
					if (lock.isValid()) {
						valid[i] = before;
					}
				}
				TimeUnit.MICROSECONDS.sleep(200);
			}
			List<String> told = new ArrayList<>();
			for (int i = 0; i < valid.length; i++) {
				told.add(String.valueOf(valid[i]));
				this.held.remove(keys.get(i)).release();
			}
			return String.join(" ", told);
		};
	}

	/**
	 * Takes one lock again and again for its token, on one thread, and tries again if
	 * that fails. Arguments: for how long and lease in milliseconds, key. Result: how
	 * often it was taken, and how often that failed.
	 * @return the operation
	 */
	@Bean
	public Operation draw() {
		return (arguments) -> {
			long end = System.nanoTime() + millis(arguments[0]).toNanos();
			int taken = 0;
			int failed = 0;
			while (System.nanoTime() - end < 0) {
				try {
					long asked = System.nanoTime();
					LockPort.Held lock = this.locks.acquire(arguments[2], Duration.ofSeconds(1), millis(arguments[1]));
					if (lock != null) {
						this.journal.write(Journal.ENTER, arguments[2], lock.token(), asked);
						taken++;
						lock.release();
					}
				}
				catch (RuntimeException ex) {
					failed++;
				}
				TimeUnit.MILLISECONDS.sleep(3);
			}
			return taken + " " + failed;
		};
	}

	private static List<String> keys(String... arguments) {
		return List.of(arguments).subList(2, arguments.length);
	}

	private static Duration millis(String text) {
		return Duration.ofMillis(Long.parseLong(text));
	}

}
