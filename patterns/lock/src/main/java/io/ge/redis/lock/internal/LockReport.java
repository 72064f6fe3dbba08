// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The report of one instance about its locks: at most 100 holders and 100 waiters, the
 * longest held and the most wanted first.
 */
record LockReport(String process, int held, int awaited, List<Holder> holders, List<Waiters> waiters) {

	static final int MOST = 100;

	public Stream<String> keys() {
		return Stream.concat(this.holders.stream().map(Holder::key), this.waiters.stream().map(Waiters::key));
	}

	public record Holder(String name, String key, long token, Duration age, Duration remaining) {
	}

	public record Waiters(String name, String key, int count) {

		Waiters with(Waiters other) {
			return new Waiters(this.name, this.key, this.count + other.count);
		}

	}

}
