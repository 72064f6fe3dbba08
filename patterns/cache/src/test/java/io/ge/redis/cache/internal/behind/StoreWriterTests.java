// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.ge.redis.cache.Change;
import io.ge.redis.cache.WriteBehindProperties;
import io.ge.redis.cache.WriteBehindStore;
import io.ge.redis.cache.internal.behind.RedisWriteBehind.WaitingChange;
import io.ge.redis.cache.internal.behind.StoreWriter.Written;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.OptimisticLockingFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What becomes of changes that a store cannot write.
 */
class StoreWriterTests {

	private final Store store = new Store();

	private boolean doubtful;

	private final StoreWriter<Value> writer = new StoreWriter<>(this.store,
			JsonMapper.builder().build().readerFor(Value.class),
			new WriteBehindProperties(100, Duration.ZERO, Duration.ofSeconds(10), 3, Duration.ofSeconds(1),
					Duration.ofMinutes(1), 1000, 1, Duration.ZERO, Duration.ofDays(1)));

	static Stream<Throwable> throwables() {
		return Stream.of(new IllegalArgumentException("unlucky"), new StackOverflowError(),
				new OutOfMemoryError("no room for it"), new NoClassDefFoundError("gone"), new AssertionError(),
				new ExceptionInInitializerError(), new Error("own"), new Throwable("checked"));
	}

	@ParameterizedTest
	@MethodSource("throwables")
	void countsWhateverAStoreThrowsAndWritesTheOthers(Throwable thrown) {
		this.store.failure = thrown;
		Written written = write("good", "bad", "fine");
		assertThat(written.outage()).isNull();
		assertThat(outcomes(written)).containsExactly("good WRITTEN 0", "bad RETRIED 1", "fine WRITTEN 0");
		assertThat(this.store.written).containsExactly("good", "fine");
	}

	@ParameterizedTest
	@MethodSource("throwables")
	void countsWhateverReadingAValueThrowsAndWritesTheOthers(Throwable thrown) {
		Value.thrown = thrown;
		Written written = write("good", "unreadable", "fine");
		assertThat(written.outage()).isNull();
		assertThat(outcomes(written)).containsExactly("unreadable RETRIED 1", "good WRITTEN 0", "fine WRITTEN 0");
	}

	@Test
	void isNotAwayIfItCannotSay() {
		this.store.failure = new IllegalArgumentException("unlucky");
		this.store.cannotSay = true;
		assertThat(outcomes(write("bad", "good"))).containsExactly("bad RETRIED 1", "good WRITTEN 0");
	}

	@Test
	void findsTheChangeThatMakesTheStoreSeemAwayAfterSomeOutages() {
		this.store.failure = new CannotAcquireLockException("always");
		assertThat(outcomes(write("bad", "good", "fine"))).isEmpty();
		this.doubtful = true;
		Written written = write("bad", "good", "fine");
		assertThat(written.outage()).isNull();
		assertThat(outcomes(written)).containsExactlyInAnyOrder("good WRITTEN 0", "fine WRITTEN 0", "bad RETRIED 1");
	}

	@Test
	void countsNothingWhenAllFailAsIfTheStoreWereAway() {
		this.store.failure = new CannotAcquireLockException("always");
		this.doubtful = true;
		Written written = write("bad");
		assertThat(written.outage()).isNotNull();
		assertThat(outcomes(written)).isEmpty();
	}

	@Test
	void triesChangesAloneUntilFiveHaveFailedInDoubt() {
		this.store.failure = new CannotAcquireLockException("always");
		this.doubtful = true;
		assertThat(write("bad", "bad", "bad", "bad", "bad", "bad", "bad").outage()).isNotNull();
		assertThat(this.store.calls).isEqualTo(1 + 5);
		assertThat(outcomes(write("bad", "a", "b", "c", "d", "e", "f", "g"))).hasSize(8).contains("bad RETRIED 1");
	}

	@Test
	void countsNoRefusalInDoubtUntilOneIsWritten() {
		this.store.failure = new CannotAcquireLockException("always");
		this.store.refused = "unlucky";
		this.doubtful = true;
		Written written = write("bad", "unlucky");
		assertThat(written.outage()).isSameAs(this.store.failure);
		assertThat(outcomes(written)).isEmpty();
		assertThat(outcomes(write("bad", "unlucky", "good"))).containsExactlyInAnyOrder("good WRITTEN 0",
				"bad RETRIED 1", "unlucky RETRIED 1");
	}

	@Test
	void countsNoOutageAfterARefusalOfAllTogether() {
		this.store.failure = new IllegalArgumentException("unlucky");
		this.store.away = new CannotAcquireLockException("away");
		this.store.awayAfter = 2;
		this.doubtful = true;
		Written written = write("good", "fine", "bad");
		assertThat(written.outage()).isSameAs(this.store.away);
		assertThat(outcomes(written)).containsExactly("good WRITTEN 0");
	}

	@Test
	void isAwayIfTheLeaseEndsBeforeDoubtsAreResolved() {
		this.store.failure = new CannotAcquireLockException("always");
		Written written = this.writer.write(changes("bad", "good"), () -> this.store.calls == 0, true);
		assertThat(written.outage()).isNotNull();
		assertThat(outcomes(written)).isEmpty();
	}

	@Test
	void anOutdatedVersionIsNoOutage() {
		assertThat(this.store.isTransient(new OptimisticLockingFailureException("outdated"))).isFalse();
		Exception outer = new IllegalStateException("outer");
		Exception inner = new IllegalStateException("inner", outer);
		outer.initCause(inner);
		assertThat(this.store.isTransient(outer)).isFalse();
	}

	@Test
	void leavesAProcessThatIsBroken() {
		this.store.failure = new InternalError("broken");
		assertThatExceptionOfType(InternalError.class).isThrownBy(() -> write("bad", "good"));
	}

	private Written write(String... values) {
		return this.writer.write(changes(values), () -> true, this.doubtful);
	}

	private static List<WaitingChange> changes(String... values) {
		List<WaitingChange> changes = new ArrayList<>();
		for (String value : values) {
			changes.add(new WaitingChange(value, 1, 0, ('"' + value + '"').getBytes(StandardCharsets.UTF_8), "1-1"));
		}
		return changes;
	}

	private static List<String> outcomes(Written written) {
		return written.settled()
			.stream()
			.map((each) -> each.change().key() + " " + each.outcome() + " " + each.failures())
			.toList();
	}

	/**
	 * A value that may not be made.
	 */
	record Value(String name) {

		private static Throwable thrown = new IllegalStateException();

		@JsonCreator(mode = JsonCreator.Mode.DELEGATING)
		static Value of(String name) throws Throwable {
			if ("unreadable".equals(name)) {
				throw thrown;
			}
			return new Value(name);
		}

	}

	/**
	 * Writes what is not bad.
	 */
	private static final class Store implements WriteBehindStore<Value> {

		private final List<String> written = new ArrayList<>();

		private @Nullable Throwable failure;

		private @Nullable String refused;

		private @Nullable Throwable away;

		private int awayAfter;

		private boolean cannotSay;

		private int calls;

		@Override
		public String cache() {
			return "values";
		}

		@Override
		public void writeAll(List<Change<Value>> changes) {
			this.calls++;
			if (this.away != null && this.calls > this.awayAfter) {
				sneak(this.away);
			}
			if (changes.stream().anyMatch((change) -> "bad".equals(change.key()))) {
				sneak(this.failure);
			}
			if (changes.stream().anyMatch((change) -> change.key().equals(this.refused))) {
				throw new IllegalArgumentException("refused");
			}
			changes.forEach((change) -> this.written.add(change.key()));
		}

		@Override
		public boolean isTransient(Throwable failure) {
			if (this.cannotSay) {
				throw new IllegalStateException("cannot say");
			}
			return WriteBehindStore.super.isTransient(failure);
		}

		@SuppressWarnings("unchecked")
		private static <T extends Throwable> void sneak(@Nullable Throwable failure) throws T {
			throw (T) failure;
		}

	}

}
