// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link NearCheck}.
 */
@ExtendWith(OutputCaptureExtension.class)
class NearCheckTests {

	private final List<CompletableFuture<Integer>> trials = new ArrayList<>();

	private final List<Runnable> later = new ArrayList<>();

	private final NearCheck check = new NearCheck(() -> {
		this.trials.add(new CompletableFuture<>());
		return this.trials.get(this.trials.size() - 1);
	}, "shop:bus:news", "shop:bus:*", this.later::add);

	private void refuse() {
		this.trials.remove(0)
			.completeExceptionally(new CompletionException(new IllegalStateException("NOPERM no permissions")));
	}

	@Test
	void refusalIsLoggedOnceUntilItIsOver(CapturedOutput output) {
		this.check.run();
		this.check.run();
		assertThat(this.trials).hasSize(1);
		refuse();
		assertThat(output).contains("ERROR").containsOnlyOnce("publish to 'shop:bus:news'").contains("&shop:bus:*");
		this.later.remove(0).run();
		refuse();
		assertThat(output).containsOnlyOnce("publish to 'shop:bus:news'");
		this.later.remove(0).run();
		this.trials.remove(0).complete(1);
		assertThat(output).containsOnlyOnce("lets this instance publish to 'shop:bus:news' again");
		assertThat(this.later).as("nothing left to find out").isEmpty();
		this.check.run();
		refuse();
		assertThat(output.getOut().split("does not let this instance publish", -1)).hasSize(3);
	}

	@Test
	void serverThatIsAwayIsAskedAgainAndNotComplainedOf(CapturedOutput output) {
		this.check.run();
		this.trials.remove(0).completeExceptionally(new IllegalStateException("connection refused"));
		assertThat(output).doesNotContain("publish to");
		this.later.remove(0).run();
		this.check.close();
		this.trials.remove(0).completeExceptionally(new IllegalStateException("connection refused"));
		assertThat(this.later).isEmpty();
		this.check.run();
		assertThat(this.trials).isEmpty();
	}

}
