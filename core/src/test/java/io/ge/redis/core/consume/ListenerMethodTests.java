// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.FutureTask;

import io.ge.redis.Acknowledgment;
import io.ge.redis.DeliveryAttempt;
import io.ge.redis.GuardConfigurationException;
import io.ge.redis.NotRetryableException;
import io.ge.redis.core.invocation.GuardedMethod;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

class ListenerMethodTests {

	private final Listeners listeners = new Listeners();

	@SuppressWarnings("unchecked")
	private final WorkHandler.BatchAcknowledgment<String> acknowledgment = mock(WorkHandler.BatchAcknowledgment.class);

	@Test
	void givesPayloadHeadersAttemptAndAcknowledgment() throws Exception {
		ListenerMethod method = method("all", false);
		assertThat(method.payloadType()).isEqualTo(Integer.class);
		assertThat(method.takesAcknowledgment()).isTrue();
		assertThat(call(method, "7")).isCompletedWithValue("7 3 {origin=test}");
	}

	@Test
	void givesTheMessageAroundAPayload() throws Exception {
		ListenerMethod method = method("whole", false);
		assertThat(method.payloadType()).isEqualTo(Integer.class);
		assertThat(call(method, "8")).isCompletedWithValue("8");
	}

	@Test
	void givesBatches() throws Exception {
		assertThat(call(method("batch", true), "1", "2")).isCompletedWithValue("[1, 2]");
		assertThat(call(method("wholeBatch", true), "1", "2")).isCompletedWithValue("[1, 2]");
	}

	@Test
	void rejectsAloneThatWhichCannotBeRead() throws Exception {
		assertThat(call(method("batch", true), "1", "broken", "2")).isCompletedWithValue("[1, 2]");
		verify(this.acknowledgment).reject(argThat((delivery) -> delivery.id().equals("broken")), any());
		assertThat(call(method("whole", false), "broken")).isCompletedWithValue(null);
	}

	@Test
	void isDoneWhenTheResultIsThere() throws Exception {
		assertThat(call(method("future", false), "1")).isCompletedWithValue("1");
		assertThat(call(method("mono", false), "1")).isCompletedWithValue("1");
		assertThat(call(method("failingMono", false), "1")).isCompletedExceptionally();
	}

	@Test
	void isDoneWhenTheResultIsThereThatNoTypeShows() throws Exception {
		assertThat(call(method("unseen", false), "1")).isCompletedWithValue("1");
		assertThat(call(method("failingUnseen", false), "1")).isCompletedExceptionally();
		assertThat(call(method("unseenFuture", false), "1")).isCompletedWithValue("1");
		assertThat(
				call(new ListenerMethod(new Inherits(), guarded(Inherits.class, "inherited"), Whole.class, false), "1"))
			.isCompletedWithValue("1");
		assertThat(call(method("unseenInFuture", false), "1")).isCompletedExceptionally();
		for (String name : List.of("unseenInside", "unseenTask")) {
			assertThatExceptionOfType(GuardConfigurationException.class)
				.isThrownBy(() -> call(method(name, false), "1"))
				.withMessageContainingAll("nothing shows when its work ends", "Return the plain value");
		}
	}

	@Test
	void refusesAsynchronousMethodsWhoseEndNothingTells() {
		ProxyFactory proxy = new ProxyFactory(new Asynchronous());
		proxy.addAdvisor(new AsyncAnnotationAdvisor());
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(
					() -> new ListenerMethod(proxy.getProxy(), guarded(Asynchronous.class, "on"), Whole.class, false))
			.withMessageContainingAll("asynchronous and returns no future", "Leave out @Async");
		// Without what makes them asynchronous, or with a future, they are fine
		assertThat(new ListenerMethod(new Asynchronous(), guarded(Asynchronous.class, "on"), Whole.class, false))
			.isNotNull();
		assertThat(new ListenerMethod(proxy.getProxy(), guarded(Asynchronous.class, "later"), Whole.class, false))
			.isNotNull();
	}

	@Test
	void resolvesThePayloadAgainstTheClassOfTheBean() throws Exception {
		for (String name : List.of("on", "onWhole")) {
			ListenerMethod method = new ListenerMethod(new Concrete(), guarded(Concrete.class, name), Whole.class,
					false);
			assertThat(method.payloadType().getTypeName()).isEqualTo("java.util.List<java.lang.Integer>");
			assertThat(call(method, "1")).isCompletedWithValue("1");
		}
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(
					() -> new ListenerMethod(new Generic<String>(), guarded(Generic.class, "on"), Whole.class, false))
			.withMessageContaining("the type of its payload is not known");
	}

	@Test
	void readsABoundedTypeAsTheClassOfTheBeanSays() {
		assertThat(new ListenerMethod(new Bound(), guarded(Bound.class, "on"), Whole.class, false).payloadType())
			.isEqualTo(Integer.class);
		for (String name : List.of("on", "several", "wholes")) {
			assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(
					() -> new ListenerMethod(new Bounded<Integer>(), guarded(Bounded.class, name), Whole.class, false))
				.withMessageContaining("the type of its payload is not known");
		}
	}

	@Test
	void failsWhereWorkGoesOnInsideOfWhatItReturns() throws Exception {
		for (String name : List.of("monosInFlux", "monoInList", "monoInArray")) {
			CompletableFuture<Object> called;
			try {
				called = call(method(name, false), "1");
			}
			catch (GuardConfigurationException ex) {
				assertThat(ex).hasMessageContaining("nothing shows when its work ends");
				continue;
			}
			assertThat(called).as(name).isCompletedExceptionally();
		}
	}

	@Test
	void rejectsNullForAPrimitive() throws Exception {
		assertThat(call(method("primitive", false), "null")).isCompletedWithValue(null);
		verify(this.acknowledgment).reject(any(), argThat(
				(failure) -> failure.getMessage().contains("primitive(int) takes a int. Let it take a Integer")));
	}

	@Test
	void throwsWhatTheMethodThrows() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> call(method("throwing", false), "1"))
			.withMessage("test");
	}

	@Test
	void refusesParametersThatCannotBeGiven() {
		refuses("none", false, "no parameter takes the message");
		refuses("two", false, "two of its parameters take the message");
		refuses("whole", true, "it takes batches");
		refuses("attemptAsText", false, "@DeliveryAttempt is on a String");
		refuses("anything", false, "the type of its payload is not known");
		refuses("wholeBatch", false, "it takes several messages at once, and is not in batch mode");
	}

	private void refuses(String name, boolean batch, String... parts) {
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> method(name, batch))
			.withMessageContainingAll(parts)
			.withMessageContaining("Write one parameter");
	}

	private ListenerMethod method(String name, boolean batch) {
		return new ListenerMethod(this.listeners, guarded(Listeners.class, name), Whole.class, batch);
	}

	private static GuardedMethod guarded(Class<?> type, String name) {
		Method method = Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type))
			.filter((each) -> each.getName().equals(name))
			.findFirst()
			.orElseThrow();
		return new GuardedMethod(method, type, DeliveryAttempt.class);
	}

	private CompletableFuture<Object> call(ListenerMethod method, String... messages) throws Exception {
		List<Delivery<String>> deliveries = Arrays.stream(messages)
			.map((message) -> new Delivery<>(message, "test", 3, "", message))
			.toList();
		MessageReader<String> reader = new MessageReader<>(ListenerMethodTests::payload,
				(delivery, payload) -> new Whole<>(payload), (delivery) -> Map.of("origin", delivery.origin()));
		return method.handler(reader)
			.handle(deliveries, this.acknowledgment)
			.<Object>thenApply((result) -> result)
			.toCompletableFuture();
	}

	private record Whole<P>(@Nullable P payload) {
	}

	private static @Nullable Object payload(Delivery<String> delivery, Type type) {
		if (delivery.message().equals("broken")) {
			throw new NotRetryableException("test", null);
		}
		if (delivery.message().equals("null")) {
			return null;
		}
		return (type == Integer.class) ? Integer.valueOf(delivery.message()) : delivery.message();
	}

	private abstract static class Inherited<R> {

		abstract R result(String payload);

		R inherited(String payload) {
			return result(payload);
		}

	}

	private static final class Inherits extends Inherited<Mono<String>> {

		@Override
		Mono<String> result(String payload) {
			return Mono.just(payload);
		}

	}

	static class Generic<T> {

		String on(T payload) {
			return String.valueOf(payload);
		}

		String onWhole(Whole<T> payload) {
			return String.valueOf(payload.payload());
		}

	}

	static class Concrete extends Generic<List<Integer>> {

	}

	static class Bounded<T extends Number> {

		void on(T payload) {
		}

		void several(T[] payload) {
		}

		void wholes(Optional<T>[] payload) {
		}

	}

	static class Bound extends Bounded<Integer> {

	}

	static class Asynchronous {

		@Async
		void on(String payload) {
		}

		@Async
		CompletableFuture<String> later(String payload) {
			return CompletableFuture.completedFuture(payload);
		}

	}

	private static final class Listeners {

		Object monosInFlux(String payload) {
			return Flux.just(Mono.just(payload));
		}

		Object monoInList(String payload) {
			return List.of(Mono.just(payload));
		}

		Object monoInArray(String payload) {
			return new Object[] { Mono.just(payload) };
		}

		String primitive(int payload) {
			return String.valueOf(payload);
		}

		CompletableFuture<Object> unseenInFuture(String payload) {
			return CompletableFuture.completedFuture(Mono.just(payload));
		}

		String all(Integer payload, Map<String, String> headers, @DeliveryAttempt int attempt,
				Acknowledgment acknowledgment) {
			return payload + " " + attempt + " " + headers;
		}

		String whole(Whole<Integer> whole) {
			return String.valueOf(whole.payload());
		}

		String batch(List<Integer> payloads) {
			return payloads.toString();
		}

		String wholeBatch(List<Whole<Integer>> payloads) {
			return payloads.stream().map(Whole::payload).toList().toString();
		}

		CompletionStage<String> future(String payload) {
			return CompletableFuture.completedFuture(payload);
		}

		Mono<String> mono(String payload) {
			return Mono.just(payload);
		}

		Mono<String> failingMono(String payload) {
			return Mono.error(new IllegalStateException(payload));
		}

		Object unseen(String payload) {
			return Mono.just(payload);
		}

		Object failingUnseen(String payload) {
			return Mono.error(new IllegalStateException(payload));
		}

		Object unseenFuture(String payload) {
			return CompletableFuture.completedFuture(payload);
		}

		Object unseenInside(String payload) {
			return Optional.of(Mono.just(payload));
		}

		Object unseenTask(String payload) {
			return new FutureTask<>(() -> payload);
		}

		void throwing(String payload) {
			throw new IllegalStateException("test");
		}

		void none(Acknowledgment acknowledgment) {
		}

		void two(String payload, Integer other) {
		}

		void attemptAsText(String payload, @DeliveryAttempt String attempt) {
		}

		void anything(Object payload) {
		}

	}

}
