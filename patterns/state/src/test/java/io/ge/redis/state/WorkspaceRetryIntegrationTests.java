// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.TcpProxy.Direction;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Changes whose requests or replies are lost are applied once.
 */
class WorkspaceRetryIntegrationTests {

	private static final int TIMES = 30;

	private StandaloneRedis redis;

	private TcpProxy network;

	private StateInstance instance;

	@BeforeEach
	void start() {
		this.redis = RedisServers.standalone();
		this.network = new TcpProxy(this.redis.primary());
		LettuceConnectionFactory factory = new LettuceConnectionFactory(this.network.host(), this.network.port());
		factory.afterPropertiesSet();
		factory.start();
		this.instance = new StateInstance(factory);
	}

	@AfterEach
	void stop() {
		this.instance.close();
		this.network.close();
		this.redis.close();
	}

	@Test
	void appliesOnceWhatLosesItsReply() {
		losing(Direction.REPLIES, 0);
	}

	@Test
	@Wide
	void appliesOnceWhatLosesPartOfItsReply() {
		losing(Direction.REPLIES, 3);
	}

	@Test
	@Wide
	void appliesOnceWhatLosesItsRequest() {
		losing(Direction.REQUESTS, 100);
	}

	private void losing(Direction direction, int bytes) {
		Workspace workspace = this.instance.open("101");
		List<Long> versions = new ArrayList<>();
		for (int i = 0; i < TIMES; i++) {
			this.network.resetAfter(direction, bytes);
			versions.add(workspace.append("history", i));
		}
		assertThat(this.network.resets()).isPositive();
		assertThat(versions).isEqualTo(LongStream.rangeClosed(1, TIMES).boxed().toList());
		WorkspaceSnapshot snapshot = direct();
		assertThat(snapshot.version()).isEqualTo(TIMES);
		assertThat(snapshot.list("history", Integer.class)).isEqualTo(IntStream.range(0, TIMES).boxed().toList());
	}

	@Test
	void failsWithTheLossWhereIdsAreForgotten() {
		Workspace workspace = this.instance.open("101");
		workspace.put("plan", 1);
		this.redis.primary().command("DEL", "{session:101}:workspace:changes", "{session:101}:workspace:operations");
		this.network.resetAfter(Direction.REQUESTS, 100);
		assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> workspace.put("plan", 2))
			.satisfies((ex) -> assertThat(ex.isOutcomeUnknown()).isTrue());
		assertThat(this.network.resets()).isPositive();
		assertThat(direct().get("plan", Integer.class)).isEqualTo(1);
	}

	@Test
	@Wide
	void theOutcomeIsUnknownAlsoWhenRetriesAreRefused() {
		Workspace workspace = this.instance.open("101");
		workspace.put("plan", 1);
		this.network.swallow(Direction.REPLIES);
		CompletableFuture<Long> put = workspace.putAsync("plan", 2);
		await().until(() -> direct().version() == 2);
		this.network.cut();
		assertThat(put).failsWithin(Duration.ofSeconds(20))
			.withThrowableOfType(ExecutionException.class)
			.havingCause()
			.isInstanceOfSatisfying(RedisUnavailableException.class,
					(ex) -> assertThat(ex.isOutcomeUnknown()).isTrue());
		// There are pauses between them
		assertThat(this.instance.scripts()).isLessThan(1000);
	}

	@Test
	void theSumOfAnIncrementIsThatOfTheFirstAttempt() {
		Workspace workspace = this.instance.open("101");
		for (int i = 1; i <= TIMES; i++) {
			this.network.resetAfter(Direction.REPLIES, 0);
			assertThat(workspace.increment("tokens", 2)).isEqualTo(2 * i);
		}
	}

	@Test
	void anUpdateThatLosesRepliesCountsOnce() {
		Workspace workspace = this.instance.open("101");
		for (int i = 1; i <= TIMES; i++) {
			// That of the snapshot, or that of the change
			this.network.resetAfter(Direction.REPLIES, i * 5);
			assertThat(workspace.update("number", Integer.class, (number) -> (number != null) ? number + 1 : 1))
				.isEqualTo(i);
		}
		assertThat(this.network.resets()).isPositive();
		assertThat(direct().version()).isEqualTo(TIMES);
	}

	@Test
	@Wide
	void aCallerRepeatsWhatHeDidNotLearnOf() {
		Workspace once = this.instance.open("101").withOperation("request 7");
		this.network.swallow(Direction.REPLIES);
		assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> once.append("history", "a"))
			.satisfies((ex) -> assertThat(ex.isOutcomeUnknown()).isTrue());
		this.network.resume();
		await().ignoreExceptionsInstanceOf(RedisUnavailableException.class)
			.until(() -> once.append("history", "a") == 1);
		assertThat(direct().list("history", String.class)).containsExactly("a");
	}

	@Test
	void failsWhileRedisIsUnavailable() {
		Workspace workspace = this.instance.open("101");
		workspace.put("plan", 1);
		this.network.cut();
		assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> workspace.put("plan", 2));
		assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(workspace::snapshot);
		assertThat(this.instance.events(StateEvent.Outcome.ERROR)).isEqualTo(1);
		this.network.resume();
		await().ignoreExceptionsInstanceOf(RedisUnavailableException.class)
			.until(() -> workspace.compareAndSet("plan", 1, 3).applied());
	}

	@Test
	void aListenerGoesOnAfterAnOutage() {
		WorkspaceContract.Recorder recorder = new WorkspaceContract.Recorder();
		try (StateInstance near = new StateInstance(this.redis);
				ChangeSubscription subscription = this.instance.open("101").listen(0, recorder)) {
			near.open("101").put("plan", 1);
			await().until(() -> subscription.version() == 1);
			this.network.cut();
			IntStream.range(0, TIMES).forEach((i) -> near.open("101").put("plan", i));
			this.network.resume();
			await().until(() -> recorder.versions.size() == TIMES + 1);
			assertThat(recorder.versions).isEqualTo(LongStream.rangeClosed(1, TIMES + 1).boxed().toList());
			assertThat(recorder.gaps).isEmpty();
		}
	}

	/**
	 * Looks at the workspace without the network.
	 */
	private WorkspaceSnapshot direct() {
		try (StateInstance near = new StateInstance(this.redis)) {
			return near.open("101").snapshot();
		}
	}

}
