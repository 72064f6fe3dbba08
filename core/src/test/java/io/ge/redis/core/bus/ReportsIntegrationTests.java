// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.bus;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TestBackend;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reports that instances exchange over their bus.
 */
class ReportsIntegrationTests {

	private static final String TOPIC = "basket.report";

	private StandaloneRedis redis;

	private TestBackend one;

	private TestBackend two;

	@BeforeEach
	void start() {
		this.redis = RedisServers.standalone();
		this.one = TestBackend.on(this.redis, "one");
		this.two = TestBackend.on(this.redis, "two");
		Awaitility.await().untilAsserted(() -> {
			assertThat(this.one.get().bus().liveInstances()).isEqualTo(2);
			assertThat(this.two.get().bus().isSubscribed()).isTrue();
		});
	}

	@AfterEach
	void stop() {
		this.two.close();
		this.one.close();
		this.redis.close();
	}

	@Test
	void everyInstanceGivesWhatIsAskedFor() {
		reports(this.one).give((filter) -> basket(filter, "apple", "Öl"));
		reports(this.two).give((filter) -> basket(filter, "apple", "pear"));
		assertThat(collect(Reports.Filter.ALL)).containsOnly(
				Map.entry("one", basket(Reports.Filter.ALL, "apple", "Öl")),
				Map.entry("two", basket(Reports.Filter.ALL, "apple", "pear")));
		Reports.Filter filter = new Reports.Filter("fruit", "pear");
		assertThat(collect(filter)).containsOnly(Map.entry("one", basket(filter)),
				Map.entry("two", basket(filter, "pear")));
	}

	@Test
	void instanceWithoutReportIsNotSilent() {
		reports(this.one).give((filter) -> basket(filter, "apple"));
		assertThat(collect(Reports.Filter.ALL)).containsOnlyKeys("one");
	}

	@Test
	void instanceThatDoesNotAnswerIsSilent() {
		reports(this.one).give((filter) -> basket(filter, "apple"));
		this.redis.primary().kill();
		Reports.Collected<Basket> collected = reports(this.one).collect(Reports.Filter.ALL);
		assertThat(collected.instance()).isEqualTo("one");
		assertThat(collected.reports()).containsOnlyKeys("one");
		assertThat(collected.silent()).containsExactly("two");
	}

	@Test
	void reportOfAnotherFormatIsIgnored() {
		reports(this.one).give((filter) -> basket(filter, "apple"));
		for (String other : List.of("1@host 3\nx words", "{", "[]", "null", "{\"age\": \"PT1S\"}",
				"{\"age\": \"PT1S\", \"fruits\": null}", "{\"age\": \"PT1S\", \"fruits\": 3}")) {
			this.two.get().bus().onQuestion(TOPIC, (question) -> other);
			assertThat(collect(Reports.Filter.ALL)).as(other).containsOnlyKeys("one");
		}
	}

	@Test
	void whatALaterReleaseAddsIsIgnored() {
		String later = "{\"age\": \"PT1S\", \"fruits\": [{\"name\": \"kiwi\", \"size\": 3}], \"more\": [1]}";
		this.two.get().bus().onQuestion(TOPIC, (question) -> later);
		assertThat(collect(Reports.Filter.ALL))
			.containsOnly(Map.entry("two", new Basket(Duration.ofSeconds(1), List.of(new Fruit("kiwi")))));
	}

	@Test
	void endOfALongListIsLeftOut() {
		String[] names = IntStream.range(0, 10_000).mapToObj((i) -> "Ö" + i).toArray(String[]::new);
		reports(this.one).give((filter) -> basket(filter, names));
		assertThat(this.one.get().bus().ask(TOPIC, "{\"name\": \"\", \"hash\": \"\"}").join().texts().get("one"))
			.hasSizeBetween(Reports.LONGEST - 1000, Reports.LONGEST);
		List<Fruit> fruits = collect(Reports.Filter.ALL).get("one").fruits();
		assertThat(fruits).hasSizeBetween(1000, 2000)
			.isEqualTo(basket(Reports.Filter.ALL, names).fruits().subList(0, fruits.size()));
	}

	// While the machine is busy an instance may be too late
	private Map<String, Basket> collect(Reports.Filter filter) {
		return Awaitility.await()
			.until(() -> reports(this.one).collect(filter), (collected) -> collected.silent().isEmpty())
			.reports();
	}

	private static Reports<Basket> reports(TestBackend backend) {
		return new Reports<>(backend.get().bus(), TOPIC, Basket.class);
	}

	private static Basket basket(Reports.Filter filter, String... names) {
		return new Basket(Duration.ofMillis(7),
				List.of(names)
					.stream()
					.filter((name) -> filter.includes("fruit", () -> name))
					.map(Fruit::new)
					.toList());
	}

	record Basket(Duration age, List<Fruit> fruits) {
	}

	record Fruit(String name) {
	}

}
