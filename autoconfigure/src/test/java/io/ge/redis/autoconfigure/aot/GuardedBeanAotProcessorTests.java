// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure.aot;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

import io.ge.redis.Acknowledgment;
import io.ge.redis.broadcast.RedisBroadcastListener;
import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheInvalidate;
import io.ge.redis.cache.CacheWriteBehind;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.cache.Change;
import io.ge.redis.cache.WriteBehindStore;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.queue.RedisJob;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.stream.RedisStreamListener;
import io.ge.redis.stream.StreamEnvelope;
import io.ge.redis.test.LibraryClasses;
import org.junit.jupiter.api.Test;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.AnnotationConfigUtils;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;
import org.springframework.core.annotation.AliasFor;
import org.springframework.http.ResponseEntity;
import org.springframework.javapoet.ClassName;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link GuardedBeanAotProcessor} and what it looks at.
 */
class GuardedBeanAotProcessorTests {

	@Test
	void valuesThatAreKeptAreWrittenAndRead() {
		RuntimeHints hints = process(Kept.class);
		assertThat(List.of(Receipt.class, Line.class, Product.class, Wallet.class, Draft.class))
			.allSatisfy((type) -> assertBound(hints, type));
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Receipt.class, "lines")).accepts(hints);
	}

	@Test
	void valuesAreThoseOfTheBeanWhereItsMethodIsGeneric() {
		assertBound(process(Products.class), Product.class);
	}

	@Test
	void argumentsThatAreComparedAreWritten() {
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(Order.class)
			.withMemberCategory(MemberCategory.ACCESS_DECLARED_FIELDS)).accepts(process(Kept.class));
	}

	@Test
	void valuesOfSpringsAnnotationsAreWrittenAndRead() {
		assertBound(process(SpringCached.class), Product.class);
	}

	@Test
	void valuesThatAreWrittenBehindAreRead() {
		assertBound(process(DraftStore.class), Draft.class);
	}

	@Test
	void messagesOfListenersAreRead() throws NoSuchMethodException {
		RuntimeHints hints = process(Listeners.class);
		assertThat(List.of(Order.class, Product.class, Receipt.class, Draft.class))
			.allSatisfy((type) -> assertBound(hints, type));
		assertInvoked(hints, Listeners.class.getDeclaredMethod("on", StreamEnvelope.class, Acknowledgment.class));
		assertInvoked(hints, Listeners.class.getDeclaredMethod("missed", long.class));
	}

	@Test
	void exceptionsThatAreStoredAreMadeAgain() {
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(SoldOutException.class)
			.withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)).accepts(process(Kept.class));
	}

	@Test
	void methodsThatAnswerInstead() throws NoSuchMethodException {
		RuntimeHints hints = process(Substituted.class);
		assertInvoked(hints, Substituted.class.getDeclaredMethod("later", String.class));
		assertInvoked(hints, Parent.class.getDeclaredMethod("elsewhere", String.class, LockNotAcquiredException.class));
		assertInvoked(hints, Substituted.class.getDeclaredMethod("found", String.class));
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Substituted.class, "unrelated"))
			.rejects(hints);
	}

	@Test
	void nameOfAMethodMayBeAPlaceholder() throws NoSuchMethodException {
		assertInvoked(process(Placeholders.class, PropertySourcesPlaceholderConfigurer.class),
				Placeholders.class.getDeclaredMethod("later", String.class));
	}

	@Test
	void expressionsReachWhatTheyName() throws NoSuchMethodException {
		RuntimeHints hints = process(Expressive.class);
		assertInvoked(hints, Order.class.getMethod("customer"));
		assertInvoked(hints, Customer.class.getMethod("getAddress"));
		assertInvoked(hints, Address.class.getMethod("region", boolean.class));
		assertInvoked(hints, String.class.getMethod("isBlank"));
		assertInvoked(hints, List.class.getMethod("size"));
		assertInvoked(hints, Receipt.class.getMethod("id"));
		assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(Address.class, "zip")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Customer.class, "getSecret")).rejects(hints);
	}

	@Test
	void expressionsReachBeansAndTypes() throws NoSuchMethodException {
		RuntimeHints hints = process(Expressive.class, Tenants.class);
		assertInvoked(hints, Tenants.class.getMethod("current"));
		assertInvoked(hints, Math.class.getMethod("abs", long.class));
	}

	@Test
	void expressionsReachTheCall() throws NoSuchMethodException {
		RuntimeHints hints = process(Expressive.class);
		assertInvoked(hints, Method.class.getMethod("getName"));
		assertInvoked(hints, Expressive.class.getMethod("getRegion"));
	}

	@Test
	void annotationsOnTheClassMeanItsPublicMethods() throws NoSuchMethodException {
		RuntimeHints hints = process(OnClass.class);
		assertInvoked(hints, OnClass.class.getMethod("one", Order.class));
		assertInvoked(hints, Order.class.getMethod("customer"));
	}

	@Test
	void annotationsMayBeComposedAndRepeated() throws NoSuchMethodException {
		RuntimeHints hints = process(Composed.class);
		assertInvoked(hints, Order.class.getMethod("customer"));
		assertInvoked(hints, Order.class.getMethod("id"));
	}

	@Test
	void otherBeansAreLeftAlone() {
		RuntimeHints hints = process(Tenants.class);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Tenants.class, "current")).rejects(hints);
	}

	@Test
	void everyAnnotationIsKnown() {
		Set<String> annotations = LibraryClasses.all()
			.stream()
			.filter(Class::isAnnotation)
			.filter((type) -> type.isAnnotationPresent(Reflective.class))
			.map(Class::getName)
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(annotations).hasSizeGreaterThan(10);
		assertThat(AnnotatedCall.ANNOTATIONS).extracting(Class::getName)
			.containsExactlyInAnyOrderElementsOf(annotations);
	}

	@Test
	void everyTextOfAnAnnotationIsAnExpressionAMethodOrPlain() {
		Set<String> plain = Set.of("atLeastFor", "cache", "channel", "concurrency", "failureRate", "group", "lease",
				"leaseTime", "limitString", "maxHold", "minimumCalls", "name", "negativeTtl", "openFor", "probes",
				"queue", "slowAfter", "slowCallRate", "stream", "ttl", "waitTime", "window");
		Set<String> unknown = new TreeSet<>();
		for (Class<?> annotation : AnnotatedCall.ANNOTATIONS) {
			Arrays.stream(annotation.getDeclaredMethods())
				.filter((attribute) -> attribute.getReturnType() == String.class)
				.map(Method::getName)
				.forEach(unknown::add);
		}
		assertThat(unknown).containsAll(AnnotatedCall.EXPRESSIONS).containsAll(AnnotatedCall.ALTERNATIVES);
		unknown.removeAll(AnnotatedCall.EXPRESSIONS);
		unknown.removeAll(AnnotatedCall.ALTERNATIVES);
		unknown.removeAll(plain);
		assertThat(unknown).isEmpty();
	}

	private static void assertBound(RuntimeHints hints, Class<?> type) {
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(type)
			.withMemberCategories(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS, MemberCategory.ACCESS_DECLARED_FIELDS))
			.as(type.getSimpleName())
			.accepts(hints);
	}

	private static void assertInvoked(RuntimeHints hints, Method method) {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(method)).as(method.toString()).accepts(hints);
	}

	static RuntimeHints process(Class<?>... beans) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.setEnvironment(new MockEnvironment().withProperty("answers.later", "later"));
		for (Class<?> bean : beans) {
			context.registerBean(bean.getSimpleName().toLowerCase(Locale.ROOT), bean);
		}
		return process(context);
	}

	static RuntimeHints process(GenericApplicationContext context) {
		AnnotationConfigUtils.registerAnnotationConfigProcessors(context);
		DefaultGenerationContext generation = new DefaultGenerationContext(
				new ClassNameGenerator(ClassName.get("com.acme", "Application")), new InMemoryGeneratedFiles());
		try (context) {
			new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
		}
		return generation.getRuntimeHints();
	}

	record Order(String id, Customer customer, List<Line> items) {
	}

	public static class Customer {

		public Address getAddress() {
			return new Address();
		}

		public String getSecret() {
			return "secret";
		}

	}

	public static class Address {

		public String zip = "";

		public String region(boolean full) {
			return "";
		}

	}

	record Receipt(String id, List<Line> lines) {
	}

	record Line(String text) {
	}

	record Product(UUID id) {
	}

	record Wallet(String id) {
	}

	record Draft(String id) {
	}

	static class SoldOutException extends RuntimeException {

		private static final long serialVersionUID = 1L;

	}

	static class Kept {

		@Idempotent(key = "#order.id", storeExceptions = SoldOutException.class)
		public ResponseEntity<Receipt> sell(Order order) {
			return ResponseEntity.ok(new Receipt(order.id(), List.of()));
		}

		@CacheAside(cache = "products", keys = "#ids")
		public Map<String, Product> read(Collection<String> ids) {
			return Map.of();
		}

		@CacheWriteThrough(cache = "wallets", key = "#id")
		public Optional<Wallet> write(String id) {
			return Optional.empty();
		}

		@CacheWriteBehind(cache = "drafts", key = "#draft.id", value = "#draft")
		public void edit(Draft draft) {
		}

	}

	abstract static class Reading<T> {

		@CacheAside(cache = "things", key = "#id")
		public T read(String id) {
			throw new UnsupportedOperationException(id);
		}

	}

	static class Products extends Reading<Product> {

	}

	static class SpringCached {

		@Cacheable("products")
		public Product read(String id) {
			return new Product(UUID.randomUUID());
		}

	}

	static class DraftStore implements WriteBehindStore<Draft> {

		@Override
		public String cache() {
			return "drafts";
		}

		@Override
		public void writeAll(List<Change<Draft>> changes) throws IOException {
		}

	}

	abstract static class Parent {

		@SuppressWarnings("unused")
		private String elsewhere(String id, LockNotAcquiredException refusal) {
			return id;
		}

	}

	static class Substituted extends Parent {

		@RateLimited(key = "#id", limit = 1, window = "1s", fallback = "later")
		public String limited(String id) {
			return id;
		}

		@DistributedLock(key = "#id", fallback = "elsewhere")
		public String locked(String id) {
			return id;
		}

		@Idempotent(key = "#id", recover = "found")
		public String once(String id) {
			return id;
		}

		String later(String id) {
			return id;
		}

		String found(String id) {
			return id;
		}

		String unrelated(String id) {
			return id;
		}

	}

	static class Placeholders {

		@RateLimited(key = "#id", limit = 1, window = "1s", fallback = "${answers.later}")
		public String limited(String id) {
			return id;
		}

		String later(String id) {
			return id;
		}

	}

	static class Expressive {

		@RateLimited(key = "#order.customer.address.region(true)", cost = "#order.items.size()", limit = 1,
				window = "1s")
		public String limited(Order order) {
			return order.id();
		}

		@CacheInvalidate(cache = "zips", key = "#customer.address.zip", condition = "!#name.blank")
		public void invalidate(Customer customer, String name) {
		}

		@CacheWriteThrough(cache = "receipts", key = "@tenants.current() + T(Math).abs(#id)",
				unless = "#result.id == null")
		public Receipt write(long id) {
			return new Receipt("", List.of());
		}

		@DistributedLock(key = "#root.method.name + #root.target.region")
		public void locked() {
		}

		public String getRegion() {
			return "";
		}

	}

	public static class Tenants {

		public String current() {
			return "";
		}

	}

	@RateLimited(key = "#order.customer.toString()", limit = 1, window = "1s")
	static class OnClass {

		public String one(Order order) {
			return "";
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@RateLimited(limit = 1, window = "1s")
	@interface Guarded {

		@AliasFor(annotation = RateLimited.class, attribute = "key")
		String by();

	}

	static class Composed {

		@Guarded(by = "#order.customer.toString()")
		public String composed(Order order) {
			return "";
		}

		@RateLimited(name = "one", key = "'all'", limit = 1, window = "1s")
		@RateLimited(name = "other", key = "#order.id", limit = 1, window = "1s")
		public String repeated(Order order) {
			return "";
		}

	}

	static class Listeners {

		@RedisStreamListener(stream = "orders", manual = true)
		void on(StreamEnvelope<Order> order, Acknowledgment acknowledgment) {
		}

		@RedisStreamListener(stream = "products", batch = true)
		void on(List<Product> products) {
		}

		@RedisJob(queue = "receipts")
		Receipt run(Draft draft) {
			throw new UnsupportedOperationException();
		}

		@RedisBroadcastListener(channel = "drafts", onGap = "missed")
		void changed(Draft draft) {
		}

		void missed(long count) {
		}

	}

}
