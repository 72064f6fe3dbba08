// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.structure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.invocation.NotConfiguredException;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.TestBackend;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * The promises of every structure: one script for each operation, one slot, a TTL, the
 * same answers in all calling styles, and clear failures.
 */
public abstract class StructureContract {

	private final AtomicInteger scripts = new AtomicInteger();

	private RedisFixture redis;

	private TestBackend backend;

	@BeforeEach
	protected void connect(RedisFixture redis) {
		this.redis = redis;
		this.backend = TestBackend.on(redis.connectionFactory(), "instance-1", (script, nanos, failure) -> {
			if (script.name().startsWith(pattern() + "/")) {
				this.scripts.incrementAndGet();
			}
		});
	}

	@AfterEach
	protected void disconnect() {
		this.backend.close();
	}

	/**
	 * Returns all operations of a structure, all on the same definition that has a TTL.
	 * The first one writes.
	 */
	protected abstract List<Operation> operations(RedisBackend backend);

	/**
	 * Returns the same operations on another definition, if the structure has some. That
	 * of {@code permanent} is permanent, and there is no {@code other}.
	 */
	protected List<Operation> operations(RedisBackend backend, String definition) {
		return List.of();
	}

	/**
	 * Returns writes of an instance for which a definition named {@code permanent} has a
	 * property, {@code ttl} or {@code permanent}, if instances with each run side by
	 * side. Each writes all keys that the first one does.
	 */
	protected List<Operation> writes(RedisBackend backend, String property, String value) {
		return List.of();
	}

	/**
	 * Returns the key that the first operation looks at first.
	 */
	protected abstract String key();

	/**
	 * Returns the names of operations that do not look at {@link #key()}.
	 */
	protected Set<String> elsewhere() {
		return Set.of();
	}

	protected final RedisBackend backend() {
		return this.backend.get();
	}

	protected final RedisFixture redis() {
		return this.redis;
	}

	/**
	 * Returns the name of the pattern, as in the names of scripts.
	 */
	protected String pattern() {
		return key().split(":")[1];
	}

	/**
	 * Returns a glob of all keys of the structure.
	 */
	protected String anyKey() {
		return "ge:" + pattern() + ":*";
	}

	/**
	 * Returns the keys of the structure.
	 */
	protected final Set<String> keys() {
		Set<String> keys = new TreeSet<>();
		eachKey((endpoint, key) -> keys.add(key));
		return keys;
	}

	private void eachKey(BiConsumer<RedisEndpoint, String> action) {
		this.redis.endpoints().stream().filter(RedisEndpoint::isPrimary).forEach((endpoint) -> {
			List<?> found = (List<?>) endpoint.command("KEYS", anyKey());
			found.forEach((key) -> action.accept(endpoint, String.valueOf(key)));
		});
	}

	/**
	 * Asserts that a call lets all keys live longer than they would have.
	 */
	protected final void prolongs(Runnable write) {
		eachKey((endpoint, key) -> endpoint.command("PEXPIRE", key, "60000"));
		write.run();
		eachKey((endpoint, key) -> assertThat((Long) endpoint.command("PTTL", key)).as(key).isGreaterThan(60_000));
	}

	/**
	 * Does something as another program would.
	 */
	protected final void direct(Consumer<StringRedisTemplate> action) throws Exception {
		RedisConnectionFactory factory = this.redis.connectionFactory();
		try {
			action.accept(new StringRedisTemplate(factory));
		}
		finally {
			((DisposableBean) factory).destroy();
		}
	}

	/**
	 * Asserts that calls are refused while a key is of another type, and write nothing.
	 */
	protected final void refusesAnotherType(String key, List<Operation> calls) throws Exception {
		direct((template) -> {
			template.opsForList().rightPush(key, "something else");
			template.expire(key, Duration.ofMinutes(1));
		});
		calls.forEach((call) -> assertThatExceptionOfType(StructureMismatchException.class).as(call.name())
			.isThrownBy(() -> call.blocking().get())
			.withMessageContaining(key().substring(0, key().indexOf('{') + 1)));
		assertThat(keys()).containsExactly(key);
	}

	/**
	 * Asserts that arguments are refused before Redis is asked.
	 */
	protected final void refuses(String problem, Runnable call) {
		int before = this.scripts.get();
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(call::run).withMessageContaining(problem);
		assertThat(this.scripts).hasValue(before);
	}

	/**
	 * Asserts that a call sends a command, and no script.
	 */
	protected final void sends(String command, Runnable call) {
		this.redis.configResetStat();
		call.run();
		assertThat(calls(command)).isOne();
		assertThat(calls("evalsha") + calls("eval")).isZero();
	}

	/**
	 * Removes what a test has made permanent, which no other test may.
	 */
	protected final void forgetPermanent() {
		assertThat(this.redis.keysWithoutTtl()).allMatch((key) -> key.contains("{permanent"));
		this.redis.flushAll();
	}

	/**
	 * Counts the scripts that a call sends to servers that know them.
	 */
	protected final long scriptsOf(Runnable call) {
		call.run();
		this.redis.configResetStat();
		call.run();
		return calls("evalsha") + calls("eval");
	}

	/**
	 * Asserts that bulk calls are refused that have nothing, too much or {@code null}.
	 */
	protected final void refusesBadBulks(Consumer<Collection<String>> call) {
		refuses("The number of elements must be from 1 to 1000, was 0", () -> call.accept(List.of()));
		refuses("The number of elements must be from 1 to 1000, was 1001",
				() -> call.accept(IntStream.rangeClosed(0, 1000).mapToObj(String::valueOf).toList()));
		refuses("must not be null", () -> call.accept(Arrays.asList("a", null)));
		refuses("must have from 1 to 200 bytes", () -> call.accept(List.of("a", "i".repeat(201))));
		assertThat(keys()).isEmpty();
	}

	private long calls(String command) {
		return this.redis.endpoints()
			.stream()
			.filter(RedisEndpoint::isPrimary)
			.mapToLong((endpoint) -> endpoint.commandCalls(command))
			.sum();
	}

	@Test
	void eachOperationIsOneScriptOrCommand() {
		List<Operation> operations = new ArrayList<>(operations(backend()));
		operations.addAll(operations(backend(), "permanent"));
		for (Operation operation : operations) {
			this.scripts.set(0);
			operation.blocking().get();
			assertThat(this.scripts).as(operation.name()).hasValue(1);
		}
		forgetPermanent();
	}

	@Test
	void answersAlikeWithoutATtl() {
		List<Object> permanent = operations(backend(), "permanent").stream()
			.<Object>map((operation) -> operation.blocking().get())
			.toList();
		forgetPermanent();
		assumeThat(permanent).isNotEmpty();
		assertThat(permanent).isEqualTo(answers((operation) -> operation.blocking().get()));
	}

	@Test
	void answersAlikeInAllCallingStyles() {
		List<Object> blocking = answers((operation) -> operation.blocking().get());
		this.redis.flushAll();
		List<Object> asynchronous = answers((operation) -> operation.asynchronous().get().join());
		this.redis.flushAll();
		// A thread that must not block
		List<Object> reactive = answers((operation) -> ReactiveCalls
			.mono(() -> operation.asynchronous().get().thenApply((result) -> (Object) result))
			.subscribeOn(Schedulers.parallel())
			.block(Duration.ofSeconds(10)));
		assertThat(asynchronous).isEqualTo(blocking);
		assertThat(reactive).isEqualTo(blocking);
	}

	@Test
	void refusesToBlockAnEventLoop() {
		for (Operation operation : operations(backend())) {
			Mono<Object> blocking = Mono.fromCallable(() -> (Object) operation.blocking().get())
				.subscribeOn(Schedulers.parallel());
			assertThatIllegalStateException().as(operation.name())
				.isThrownBy(() -> blocking.block(Duration.ofSeconds(10)))
				.withMessageContaining("may wait for Redis");
		}
		assertThat(keys()).isEmpty();
	}

	private List<Object> answers(Function<Operation, Object> call) {
		List<Object> answers = new ArrayList<>();
		operations(backend()).forEach((operation) -> answers.add(call.apply(operation)));
		return answers;
	}

	@Test
	void keysAreInOneSlotAndHaveATtl() {
		Set<String> tags = new TreeSet<>();
		for (Operation operation : operations(backend())) {
			operation.blocking().get();
			keys().forEach((key) -> tags.add(key.substring(key.indexOf('{'), key.indexOf('}') + 1)));
			assertThat(this.redis.keysWithoutTtl()).as(operation.name()).isEmpty();
		}
		assertThat(tags).hasSize(1);
	}

	@Test
	void saysThatRedisIsUnavailable() {
		LettuceConnectionFactory nowhere = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("localhost", 1));
		nowhere.afterPropertiesSet();
		nowhere.start();
		try (TestBackend absent = TestBackend.on(nowhere, "instance-2", Duration.ofMillis(200))) {
			for (Operation operation : operations(absent.get())) {
				assertThatExceptionOfType(RedisUnavailableException.class).as(operation.name())
					.isThrownBy(() -> operation.blocking().get());
				assertThat(operation.asynchronous().get()).failsWithin(Duration.ofSeconds(10))
					.withThrowableOfType(ExecutionException.class)
					.withCauseInstanceOf(RedisUnavailableException.class);
			}
		}
	}

	@Test
	void refusesAKeyOfAnotherType() throws Exception {
		refusesAnotherType(key(),
				operations(backend()).stream().filter((operation) -> !elsewhere().contains(operation.name())).toList());
	}

	@Test
	void aWriteProlongsTheTimeToLive() {
		Operation write = operations(backend()).get(0);
		write.blocking().get();
		prolongs(() -> write.blocking().get());
	}

	@Test
	void eachWriteUnderPermanentKeepsTheKeysForEver() {
		List<Operation> expiring = writes(backend(), "ttl", "2d");
		for (Operation write : writes(backend(), "permanent", "true")) {
			expiring.forEach((each) -> each.blocking().get());
			assertThat(this.redis.keysWithoutTtl()).as(write.name()).isEmpty();
			write.blocking().get();
			assertThat(this.redis.keysWithoutTtl()).as(write.name()).isNotEmpty().containsAll(keys());
		}
		forgetPermanent();
	}

	@Test
	void refusesANameThatIsNotConfigured() {
		for (Operation operation : operations(backend(), "other")) {
			assertThatExceptionOfType(NotConfiguredException.class).as(operation.name())
				.isThrownBy(() -> operation.blocking().get())
				.withMessageContainingAll("ge.redis." + pattern(), ".other.ttl=30d");
		}
		assertThat(keys()).isEmpty();
	}

	@Test
	void needsNoKeysButItsOwn() {
		assumeThat(this.redis.configuration()).isInstanceOf(RedisStandaloneConfiguration.class);
		RedisEndpoint server = this.redis.endpoints().get(0);
		server.command("ACL", "SETUSER", "structure", "on", ">secret", "resetkeys", "~" + anyKey(), "~ge:probe:*",
				"resetchannels", "&*", "+@all");
		RedisStandaloneConfiguration configuration = (RedisStandaloneConfiguration) this.redis.configuration();
		configuration.setUsername("structure");
		configuration.setPassword("secret");
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration);
		factory.afterPropertiesSet();
		factory.start();
		try (TestBackend limited = TestBackend.on(factory, "instance-2")) {
			operations(limited.get()).forEach((operation) -> operation.blocking().get());
		}
		finally {
			server.command("ACL", "DELUSER", "structure");
		}
	}

	/**
	 * An operation in two calling styles.
	 */
	public record Operation(String name, Supplier<CompletableFuture<?>> asynchronous, Supplier<?> blocking) {
	}

	protected static Operation write(String name, Supplier<?> call) {
		return new Operation(name, () -> CompletableFuture.completedFuture(call.get()), call);
	}

}
