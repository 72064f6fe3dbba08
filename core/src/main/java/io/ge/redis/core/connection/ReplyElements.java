// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a reply. Elements of nested lists and maps follow one another, each
 * list behind its number of elements if lists must be distinguished.
 */
final class ReplyElements extends CommandOutput<byte[], byte[], List<?>> {

	private final List<@Nullable Object> elements;

	private final boolean numbered;

	ReplyElements() {
		this(false);
	}

	ReplyElements(boolean numbered) {
		this(new ArrayList<>(), numbered);
	}

	private ReplyElements(List<@Nullable Object> elements, boolean numbered) {
		super(ByteArrayCodec.INSTANCE, elements);
		this.elements = elements;
		this.numbered = numbered;
	}

	@Override
	public void multi(int count) {
		if (this.numbered) {
			this.elements.add((long) count);
		}
	}

	static CommandArgs<byte[], byte[]> arguments() {
		return new CommandArgs<>(ByteArrayCodec.INSTANCE);
	}

	@Override
	public void set(@Nullable ByteBuffer bytes) {
		this.elements.add((bytes != null) ? this.codec.decodeValue(bytes) : null);
	}

	@Override
	public void set(long integer) {
		this.elements.add(integer);
	}

	@Override
	public void set(double number) {
		this.elements.add(number);
	}

}
