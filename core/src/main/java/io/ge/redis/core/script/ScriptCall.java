// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.script;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

import io.ge.redis.core.key.RedisKey;
import org.jspecify.annotations.Nullable;

/**
 * One call of a script, ready to be sent and, where the script allows it, to be sent
 * again.
 */
public final class ScriptCall {

	private final LuaScript script;

	private final byte[][] keys;

	private final byte[][] arguments;

	private final boolean inOrder;

	private ScriptCall(LuaScript script, byte[][] keys, byte[][] arguments, boolean inOrder) {
		this.script = script;
		this.keys = keys;
		this.arguments = arguments;
		this.inOrder = inOrder;
	}

	/**
	 * Prepares a call on one key.
	 */
	public static ScriptCall of(LuaScript script, RedisKey key, Object... arguments) {
		return new ScriptCall(script, new byte[][] { key.bytes() }, encode(arguments), false);
	}

	/**
	 * Prepares a call on several keys, which must share one hash tag.
	 * @param keys the keys, in the order the script states
	 */
	public static ScriptCall of(LuaScript script, List<RedisKey> keys, Object... arguments) {
		byte[][] names = new byte[keys.size()][];
		for (int i = 0; i < names.length; i++) {
			names[i] = keys.get(i).bytes();
		}
		return new ScriptCall(script, names, encode(arguments), false);
	}

	/**
	 * Prepares a call without arguments on one key in the slot of another.
	 * @param suffix makes the key differ from the keys in use
	 */
	public static ScriptCall beside(LuaScript script, byte[] key, String suffix) {
		byte[] end = suffix.getBytes(StandardCharsets.UTF_8);
		byte[] name = Arrays.copyOf(key, key.length + end.length);
		System.arraycopy(end, 0, name, key.length, end.length);
		return new ScriptCall(script, new byte[][] { name }, new byte[0][], false);
	}

	/**
	 * Returns this call by the text of its script, so that whatever is sent after it on
	 * the same connection runs after it: a script that must be repeated because the
	 * server does not know it may be overtaken. So may the first of those with flags, on
	 * servers before 7.0.
	 */
	public ScriptCall inOrder() {
		return new ScriptCall(this.script, this.keys, this.arguments, true);
	}

	/**
	 * Encodes an argument that many calls have in common.
	 */
	public static byte[] argument(long number) {
		if (number < 0) {
			return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
		}
		int length = 1;
		for (long rest = number; rest > 9; rest /= 10) {
			length++;
		}
		byte[] digits = new byte[length];
		long rest = number;
		for (int i = length - 1; i >= 0; i--) {
			digits[i] = (byte) ('0' + rest % 10);
			rest /= 10;
		}
		return digits;
	}

	/**
	 * Encodes an argument that many calls have in common.
	 */
	public static byte[] argument(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static byte[][] encode(Object[] arguments) {
		byte[][] encoded = new byte[arguments.length][];
		for (int i = 0; i < encoded.length; i++) {
			encoded[i] = encode(arguments[i]);
		}
		return encoded;
	}

	private static byte[] encode(Object argument) {
		if (argument instanceof byte[] bytes) {
			return bytes;
		}
		if (argument instanceof String text) {
			return argument(text);
		}
		if (argument instanceof Long || argument instanceof Integer) {
			return argument(((Number) argument).longValue());
		}
		throw new IllegalArgumentException(
				"A script takes strings, bytes and whole numbers, not " + argument.getClass().getName());
	}

	public LuaScript script() {
		return this.script;
	}

	/**
	 * Returns the key that decides where the script runs.
	 * @return the first key, not to be changed by the caller, or {@code null} if there is
	 * none
	 */
	public byte @Nullable [] firstKey() {
		return (this.keys.length > 0) ? this.keys[0] : null;
	}

	boolean isInOrder() {
		return this.inOrder;
	}

	byte[][] keys() {
		return this.keys;
	}

	byte[][] arguments() {
		return this.arguments;
	}

}
