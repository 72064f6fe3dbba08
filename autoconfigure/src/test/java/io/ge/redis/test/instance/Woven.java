// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.instance;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * What woven code calls. Public, since it is called from classes of all packages.
 */
public final class Woven {

	/** The status of a process that has ended at a failpoint. */
	public static final int HALTED = 86;

	private static final Set<String> HALTS = ConcurrentHashMap.newKeySet();

	private static final Map<String, CountDownLatch> HOLDS = new ConcurrentHashMap<>();

	private static final Map<String, @Nullable Object[]> CONSTANTS = new ConcurrentHashMap<>();

	private static final Map<String, String> SCRIPTS = new ConcurrentHashMap<>();

	private static volatile Consumer<String> reached = (id) -> {
	};

	private Woven() {
	}

	static void tell(Consumer<String> listener) {
		reached = listener;
	}

	static void halt(String id) {
		HALTS.add(id);
	}

	static void hold(String id) {
		HOLDS.put(id, new CountDownLatch(1));
	}

	static void release(String id) {
		Objects.requireNonNull(HOLDS.get(id)).countDown();
	}

	static void script(String before, String after) {
		SCRIPTS.put(before, after);
	}

	/**
	 * Lets go on who waits anywhere, and who comes there later.
	 */
	static void releaseAll() {
		HOLDS.values().forEach(CountDownLatch::countDown);
	}

	/**
	 * Forgets failpoints and constants; scripts stay as they were read.
	 */
	static void clear() {
		HALTS.clear();
		HOLDS.clear();
		CONSTANTS.clear();
	}

	static void constant(String id, @Nullable String serialized) throws IOException, ClassNotFoundException {
		Object constant = null;
		if (serialized != null) {
			byte[] bytes = Base64.getDecoder().decode(serialized);
			try (ObjectInputStream stream = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
				constant = stream.readObject();
			}
		}
		CONSTANTS.put(id, new Object[] { constant });
	}

	/**
	 * A thread has come to a failpoint.
	 * @param id the failpoint
	 */
	public static void reach(String id) {
		if (HALTS.contains(id)) {
			reached.accept(id);
			Runtime.getRuntime().halt(HALTED);
		}
		CountDownLatch hold = HOLDS.get(id);
		if (hold == null) {
			return; // of an application that has been stopped meanwhile
		}
		if (hold.getCount() > 0) {
			reached.accept(id);
		}
		boolean interrupted = false;
		while (true) {
			try {
				hold.await();
				break;
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * The text of a script, sabotaged or not.
	 * @param text as it was read
	 * @return as it runs
	 */
	public static byte[] text(byte[] text) {
		String sabotaged = SCRIPTS.get(new String(text, StandardCharsets.UTF_8));
		return (sabotaged != null) ? sabotaged.getBytes(StandardCharsets.UTF_8) : text;
	}

	/**
	 * What a sabotaged method returns.
	 * @param id the sabotage
	 * @param future whether the method returns a future
	 * @return the constant
	 */
	public static @Nullable Object answer(String id, boolean future) {
		Object constant = Objects.requireNonNull(CONSTANTS.get(id))[0];
		return future ? CompletableFuture.completedFuture(constant) : constant;
	}

}
