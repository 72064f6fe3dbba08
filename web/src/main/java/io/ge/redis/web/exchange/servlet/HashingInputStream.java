// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange.servlet;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.DigestInputStream;
import java.security.MessageDigest;

import io.ge.redis.core.hash.Sha256;
import io.ge.redis.web.exchange.UnreadBodyTooLargeException;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A body that is hashed while it is read. What is unread when the hash is asked for is
 * read then, and kept for later readers.
 */
final class HashingInputStream extends ServletInputStream {

	private final ServletInputStream source;

	private final MessageDigest digest = Sha256.digest();

	private InputStream body;

	private byte @Nullable [] hash;

	private @Nullable UnreadBodyTooLargeException tooLarge;

	HashingInputStream(ServletInputStream source) {
		this.source = source;
		this.body = new DigestInputStream(source, this.digest);
	}

	byte[] hash(long mostUnread) throws IOException {
		byte[] known = this.hash;
		if (known == null) {
			requireWhole();
			int most = (int) Math.min(mostUnread, Integer.MAX_VALUE - 16);
			byte[] unread = this.body.readNBytes(most);
			if (unread.length == most && this.source.read() != -1) {
				this.tooLarge = new UnreadBodyTooLargeException(mostUnread);
				throw this.tooLarge;
			}
			this.body = new ByteArrayInputStream(unread);
			known = this.digest.digest();
			this.hash = known;
		}
		return known;
	}

	// What was read to hash it is gone, so what is left is not the body
	private void requireWhole() {
		if (this.tooLarge != null) {
			throw this.tooLarge;
		}
	}

	@Override
	public int read() throws IOException {
		requireWhole();
		return this.body.read();
	}

	@Override
	public int read(byte[] bytes, int offset, int count) throws IOException {
		requireWhole();
		return this.body.read(bytes, offset, count);
	}

	@Override
	public int available() throws IOException {
		return this.body.available();
	}

	@Override
	public boolean isFinished() {
		return (this.body instanceof ByteArrayInputStream rest) ? rest.available() == 0 : this.source.isFinished();
	}

	@Override
	public boolean isReady() {
		return this.hash != null || this.source.isReady();
	}

	@Override
	public void setReadListener(ReadListener listener) {
		if (this.hash != null) {
			throw new IllegalStateException("The body of an idempotent request is read before its handler runs");
		}
		this.source.setReadListener(listener);
	}

}
