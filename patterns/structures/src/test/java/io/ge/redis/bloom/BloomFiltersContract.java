// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.bloom;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.structure.Bound;
import io.ge.redis.core.structure.StructureContract;
import io.ge.redis.core.structure.StructureMismatchException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * The promises of Bloom filters.
 */
abstract class BloomFiltersContract extends StructureContract {

	private static final int MANY = 5000;

	private BloomFilters filters;

	@BeforeEach
	void assemble() {
		this.filters = filters(backend(), "1000000");
	}

	private static RedisBloomFilters filters(RedisBackend backend, String capacity) {
		BloomProperties properties = Bound.of(BloomProperties.class, "ge.redis.bloom.filters", "mails.capacity",
				capacity, "mails.ttl", "1h", "small.capacity", String.valueOf(MANY), "small.error-rate", "0.02",
				"small.ttl", "1h", "short.ttl", "1s", "permanent.permanent", "true");
		return new RedisBloomFilters(properties, backend);
	}

	@Override
	protected List<Operation> operations(RedisBackend backend) {
		return operations(backend, "mails");
	}

	@Override
	protected List<Operation> operations(RedisBackend backend, String name) {
		BloomFilters filters = filters(backend, "1000000");
		return List.of(
				new Operation("add", () -> filters.addAllAsync(name, List.of("a", "b")),
						() -> filters.addAll(name, List.of("a", "b"))),
				new Operation("add again",
						() -> filters.addAllAsync(name, List.of("a")).thenApply((each) -> each.get(0)),
						() -> filters.add(name, "a")),
				new Operation("mightContain", () -> filters.mightContainAllAsync(name, List.of("a", "c")),
						() -> filters.mightContainAll(name, List.of("a", "c"))));
	}

	@Override
	protected String key() {
		return "ge:bloom:{mails}:parameters";
	}

	@Test
	void findsWhatWasAdded() {
		assertThat(this.filters.mightContain("mails", "a@b.c")).isFalse();
		assertThat(this.filters.add("mails", "a@b.c")).isTrue();
		assertThat(this.filters.add("mails", "a@b.c")).isFalse();
		assertThat(this.filters.mightContain("mails", "a@b.c")).isTrue();
		assertThat(this.filters.mightContain("mails", "d@b.c")).isFalse();
		assertThat(this.filters.addAll("mails", List.of("a@b.c", "e@b.c", "e@b.c"))).containsExactly(false, true,
				false);
	}

	@Test
	void missesNothingAndErrsAtTheConfiguredRate() {
		for (List<String> block : blocks("in")) {
			this.filters.addAll("small", block);
		}
		for (List<String> block : blocks("in")) {
			assertThat(this.filters.mightContainAllAsync("small", block).join()).doesNotContain(false);
		}
		long errors = blocks("out").stream()
			.flatMap((block) -> this.filters.mightContainAllAsync("small", block).join().stream())
			.filter((found) -> found)
			.count();
		// One generation only is full, which has half of the configured rate
		assertThat(errors).isLessThanOrEqualTo(Math.round(MANY * 0.02 * 1.2));
	}

	private static List<List<String>> blocks(String prefix) {
		List<List<String>> blocks = new ArrayList<>();
		for (int start = 0; start < MANY; start += 1000) {
			blocks.add(IntStream.range(start, start + 1000).mapToObj((i) -> prefix + i).toList());
		}
		return blocks;
	}

	@Test
	void forgetsWithTheTtl() {
		this.filters.add("short", "a");
		assertThat(this.filters.mightContain("short", "a")).isTrue();
		await().until(() -> !this.filters.mightContain("short", "a"));
		await().untilAsserted(() -> assertThat(keys()).isEmpty());
	}

	@Test
	void refusesAFilterWithOtherParameters() {
		assertThatNoException().isThrownBy(() -> filters(backend(), "1000").verify());
		this.filters.add("mails", "a");
		RedisBloomFilters other = filters(backend(), "1000");
		for (Runnable call : List.<Runnable>of(other::verify, () -> other.add("mails", "b"),
				() -> other.mightContain("mails", "a"))) {
			assertThatExceptionOfType(StructureMismatchException.class).isThrownBy(call::run)
				.withMessageContainingAll("'mails'", "capacity=1000000 error-rate=0.01 ttl=PT1H",
						"ge.redis.bloom.filters.mails says capacity=1000 ");
		}
		assertThat(this.filters.mightContain("mails", "b")).isFalse();
	}

	@Test
	void refusesAPermanentFilterBesideOneWithATtl() throws Exception {
		Operation permanent = operations(backend(), "permanent").get(0);
		permanent.blocking().get();
		RedisBloomFilters expiring = new RedisBloomFilters(
				Bound.of(BloomProperties.class, "ge.redis.bloom.filters", "permanent.ttl", "1h"), backend());
		assertThatExceptionOfType(StructureMismatchException.class).isThrownBy(expiring::verify)
			.withMessageContainingAll("permanent=true", "ttl=PT1H");
		// As an operator may have done
		direct((template) -> keys().forEach((key) -> template.expire(key, Duration.ofHours(1))));
		permanent.blocking().get();
		assertThat(redis().keysWithoutTtl()).isNotEmpty().containsAll(keys());
		forgetPermanent();
	}

	@Test
	void writesNoParametersWhereTheFilterIsOfAnotherType() throws Exception {
		refusesAnotherType("ge:bloom:{permanent}", operations(backend(), "permanent").subList(0, 2));
	}

	@Test
	void refusesWhatCannotWork() {
		refuses("The number of values must be from 1 to 1000, was 0", () -> this.filters.addAll("mails", List.of()));
		refuses("value must be text, has half of a surrogate pair", () -> this.filters.add("mails", "\ud800"));
		refuses("The number of values must be from 1 to 1000, was 0",
				() -> this.filters.mightContainAll("mails", List.of()));
		assertThat(keys()).isEmpty();
	}

}
