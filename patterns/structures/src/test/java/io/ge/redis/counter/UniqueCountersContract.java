// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.counter;

import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.IntStream;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.structure.Bound;
import io.ge.redis.core.structure.StructureContract;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * The promises of unique counters.
 */
abstract class UniqueCountersContract extends StructureContract {

	private UniqueCounters counters;

	@BeforeEach
	void assemble() {
		this.counters = counters(backend());
	}

	private static UniqueCounters counters(RedisBackend backend) {
		CounterProperties properties = Bound.of(CounterProperties.class, "ge.redis.counter.counters", "visits.ttl",
				"8d", "daily.window", "day", "daily.ttl", "8d", "hour.window", "hour", "hour.permanent", "true",
				"day.window", "day", "day.permanent", "true", "week.window", "week", "week.permanent", "true",
				"month.window", "month", "month.permanent", "true", "permanent.permanent", "true");
		return new RedisUniqueCounters(properties, backend);
	}

	@Override
	protected List<Operation> operations(RedisBackend backend) {
		return operations(backend, "visits");
	}

	@Override
	protected List<Operation> operations(RedisBackend backend, String name) {
		UniqueCounters counters = counters(backend);
		return List.of(new Operation("add", () -> counters.addAsync(name, List.of("a")), () -> counters.add(name, "a")),
				new Operation("add again", () -> counters.addAsync(name, List.of("a")), () -> counters.add(name, "a")),
				new Operation("count", () -> counters.countAsync(name, 1), () -> counters.count(name)));
	}

	@Override
	protected List<Operation> writes(RedisBackend backend, String property, String value) {
		CounterProperties properties = Bound.of(CounterProperties.class, "ge.redis.counter.counters",
				"permanent." + property, value, "permanent-daily.window", "day", "permanent-daily." + property, value);
		UniqueCounters counters = new RedisUniqueCounters(properties, backend);
		return List.of(write("add", () -> counters.add("permanent", "a") & counters.add("permanent-daily", "a")));
	}

	@Override
	protected String key() {
		return "ge:counter:{visits}";
	}

	@Test
	void countsEachValueOnce() {
		assertThat(this.counters.count("visits")).isZero();
		assertThat(this.counters.add("visits", "a")).isTrue();
		assertThat(this.counters.add("visits", "a")).isFalse();
		this.counters.add("visits", "b");
		assertThat(this.counters.count("visits")).isEqualTo(2);
	}

	@Test
	void needsNoScriptsWhereACommandWillDo() {
		this.counters.add("permanent", "a");
		sends("pfcount", () -> this.counters.count("permanent"));
		sends("pfcount", () -> this.counters.count("visits"));
		forgetPermanent();
	}

	@Test
	void estimatesManyValues() {
		for (int block = 0; block < 20; block++) {
			int start = block * 1000;
			List<String> values = IntStream.range(start, start + 1000).mapToObj((i) -> "v" + i).toList();
			this.counters.addAsync("visits", values).join();
		}
		assertThat((double) this.counters.count("visits")).isCloseTo(20_000, within(800.0));
	}

	@Test
	void unitesWindowsWithoutKeys() {
		assertThat(this.counters.count("daily", 7)).isZero();
		assertThat(keys()).isEmpty();
		this.counters.add("daily", "a");
		assertThat(keys()).singleElement().asString().matches("ge:counter:\\{daily}:day:\\d{8}");
		assertThat(this.counters.count("daily", 7)).isEqualTo(1);
		assertThat(keys()).hasSize(1);
	}

	@ParameterizedTest
	@CsvSource({ "hour,yyyyMMddHH,HOURS", "day,yyyyMMdd,DAYS", "week,yyyyMMdd,WEEKS", "month,yyyyMM,MONTHS" })
	void unitesTheLastWindows(String name, String format, ChronoUnit unit) throws Exception {
		this.counters.add(name, "now");
		String current = keys().iterator().next();
		DateTimeFormatter pattern = new DateTimeFormatterBuilder().appendPattern(format)
			.parseDefaulting(ChronoField.DAY_OF_MONTH, 1)
			.parseDefaulting(ChronoField.HOUR_OF_DAY, 0)
			.toFormatter();
		int begin = current.lastIndexOf(':') + 1;
		LocalDateTime time = LocalDateTime.parse(current.substring(begin), pattern);
		direct((template) -> IntStream.of(1, 2, 20)
			.forEach((ago) -> template.opsForHyperLogLog()
				.add(current.substring(0, begin) + pattern.format(time.minus(ago, unit)), "ago" + ago)));
		assertThat(this.counters.count(name)).isEqualTo(1);
		assertThat(this.counters.count(name, 2)).isEqualTo(2);
		assertThat(this.counters.count(name, 20)).isEqualTo(3);
		assertThat(this.counters.count(name, 21)).isEqualTo(4);
		redis().flushAll();
	}

	@Test
	void refusesWhatCannotWork() {
		refuses("The number of values must be from 1 to 1000, was 0",
				() -> this.counters.addAsync("visits", List.of()));
		refuses("value must have from 1 to 200 bytes", () -> this.counters.add("visits", ""));
		refuses("windows must be from 1 to 1000", () -> this.counters.count("daily", 0));
		refuses("has one window for all time", () -> this.counters.count("visits", 2));
		refuses("does not keep 9 windows", () -> this.counters.count("daily", 9));
		Bound.refuses("ge.redis.counter.counters.x.ttl must be at least PT24H", CounterProperties.class,
				"ge.redis.counter.counters", "x.window", "day", "x.ttl", "1h");
		assertThat(keys()).isEmpty();
	}

}
