/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.behind;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a partition is looked at.
 */
class PartitionWorkerTests {

	private static final WriteBehindProperties PROPERTIES = new WriteBehindProperties(100, Duration.ZERO,
			Duration.ofSeconds(10), 3, Duration.ofSeconds(1), Duration.ofMinutes(1), 1000, 1, Duration.ZERO,
			Duration.ofDays(1));

	private final List<Runnable> queued = new ArrayList<>();

	private boolean full;

	private final PartitionWorker worker = worker((task) -> {
		if (this.full) {
			throw new OutOfMemoryError("unable to create native thread");
		}
		this.queued.add(task);
	});

	@SuppressWarnings("NullAway")
	private static PartitionWorker worker(Executor threads) {
		return new PartitionWorker(new Partition("scores", 3), null, null, PROPERTIES, threads, null, (event) -> {
		});
	}

	@Test
	void asksForOneThreadHoweverOftenItIsToLook() {
		this.worker.look();
		this.worker.look();
		assertThat(this.queued).hasSize(1);
	}

	@Test
	void looksAgainAfterNoThreadCouldBeMade() {
		this.full = true;
		this.worker.look();
		assertThat(this.queued).isEmpty();
		this.full = false;
		this.worker.look();
		assertThat(this.queued).hasSize(1);
	}

}
