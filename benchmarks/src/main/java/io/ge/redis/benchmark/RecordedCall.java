// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;

/**
 * A script call as an annotated method has sent it, to be sent again without the library,
 * with the same arguments and another key of the same length.
 */
final class RecordedCall {

	private static final String HASHED = "%s";

	private final String sha;

	private final byte[][] keys;

	private final byte[][] arguments;

	/** Where the text of the key begins in each key and argument, or -1. */
	private final int[] keyPositions;

	private final int[] argumentPositions;

	private RecordedCall(String sha, byte[][] keys, byte[][] arguments, int[] keyPositions, int[] argumentPositions) {
		this.sha = sha;
		this.keys = keys;
		this.arguments = arguments;
		this.keyPositions = keyPositions;
		this.argumentPositions = argumentPositions;
	}

	/**
	 * Records the scripts that one call sends.
	 * @param monitor watches the server
	 * @param key the key of the call
	 * @param work the call
	 * @return the scripts, in their order
	 */
	static List<RecordedCall> of(Monitor monitor, String key, Monitor.Work work) throws Exception {
		List<RecordedCall> calls = new ArrayList<>();
		for (Monitor.Command command : monitor.during(work)) {
			if (!command.inside() && command.name().equals("EVALSHA")) {
				calls.add(of(command, key));
			}
		}
		return calls;
	}

	static RecordedCall of(Monitor.Command command, String key) {
		int count = Integer.parseInt(command.parts().get(2));
		byte[][] keys = new byte[count][];
		int[] keyPositions = new int[count];
		for (int i = 0; i < count; i++) {
			keys[i] = command.bytes(3 + i);
			keyPositions[i] = position(command.parts().get(3 + i), key);
		}
		byte[][] arguments = new byte[command.parts().size() - 3 - count][];
		int[] argumentPositions = new int[arguments.length];
		for (int i = 0; i < arguments.length; i++) {
			arguments[i] = command.bytes(3 + count + i);
			argumentPositions[i] = command.parts().get(3 + count + i).indexOf(key);
		}
		return new RecordedCall(command.parts().get(1), keys, arguments, keyPositions, argumentPositions);
	}

	// A hashed key does not show its text; any text of the same length stands for another
	// key
	private static int position(String redisKey, String key) {
		int plain = redisKey.indexOf(key);
		int hashed = redisKey.indexOf(HASHED);
		if (plain < 0 && hashed < 0) {
			throw new IllegalArgumentException("The key " + key + " is not in " + redisKey);
		}
		return (plain >= 0) ? plain : hashed + HASHED.length();
	}

	List<?> sendAsRecorded(RawRedis redis) throws ExecutionException, InterruptedException {
		return redis.evalSha(this.sha, this.keys, this.arguments);
	}

	List<?> send(RawRedis redis, String key) throws ExecutionException, InterruptedException {
		byte[] text = key.getBytes(StandardCharsets.US_ASCII);
		return redis.evalSha(this.sha, with(this.keys, this.keyPositions, text),
				with(this.arguments, this.argumentPositions, text));
	}

	/**
	 * Sends the call with one argument replaced, such as what an earlier reply said.
	 */
	List<?> send(RawRedis redis, String key, int argument, byte[] value)
			throws ExecutionException, InterruptedException {
		byte[] text = key.getBytes(StandardCharsets.US_ASCII);
		byte[][] replaced = with(this.arguments, this.argumentPositions, text);
		replaced[argument] = value;
		return redis.evalSha(this.sha, with(this.keys, this.keyPositions, text), replaced);
	}

	private static byte[][] with(byte[][] parts, int[] positions, byte[] text) {
		byte[][] copy = parts.clone();
		for (int i = 0; i < copy.length; i++) {
			if (positions[i] >= 0) {
				copy[i] = parts[i].clone();
				System.arraycopy(text, 0, copy[i], positions[i], text.length);
			}
		}
		return copy;
	}

}
