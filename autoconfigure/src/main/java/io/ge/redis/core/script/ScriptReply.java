/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.script;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The reply of a script: always a list of whole numbers and byte strings, possibly absent
 * ones.
 */
public final class ScriptReply {

	private final List<?> elements;

	ScriptReply(List<?> elements) {
		this.elements = elements;
	}

	/**
	 * Returns the number of elements.
	 * @return the number of elements
	 */
	public int size() {
		return this.elements.size();
	}

	/**
	 * Takes apart what a script has replied that runs another one for each of several
	 * groups of keys.
	 * @return the reply for each group, in their order
	 * @see LuaScript#forEach()
	 */
	public List<ScriptReply> parts() {
		List<ScriptReply> parts = new ArrayList<>();
		int next = 0;
		while (next < size()) {
			int end = next + 1 + (int) number(next);
			parts.add(new ScriptReply(this.elements.subList(next + 1, end)));
			next = end;
		}
		return parts;
	}

	/**
	 * Returns a whole number.
	 * @param index the position, from 0
	 * @return the number; a byte string of digits counts as one
	 */
	public long number(int index) {
		Object element = this.elements.get(index);
		if (element instanceof Long number) {
			return number;
		}
		return Long.parseLong(text(index));
	}

	/**
	 * Returns a byte string.
	 * @param index the position, from 0
	 * @return the bytes, or {@code null} where the script replied {@code false} or nil
	 */
	public byte @Nullable [] bytes(int index) {
		return (byte[]) this.elements.get(index);
	}

	/**
	 * Returns a byte string as UTF-8 text.
	 * @param index the position, from 0
	 * @return the text
	 * @throws IllegalStateException if the element is absent
	 */
	public String text(int index) {
		byte[] bytes = bytes(index);
		if (bytes == null) {
			throw new IllegalStateException("The script replied nothing at position " + index);
		}
		return new String(bytes, StandardCharsets.UTF_8);
	}

	/**
	 * Returns whether the script replied a value at a position.
	 * @param index the position, from 0
	 * @return whether there is a value
	 */
	public boolean has(int index) {
		return index < this.elements.size() && this.elements.get(index) != null;
	}

	@Override
	public String toString() {
		return "ScriptReply of " + this.elements.size() + " elements";
	}

}
