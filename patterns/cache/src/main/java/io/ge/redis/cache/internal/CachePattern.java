// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.lang.annotation.Annotation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheProperties;
import io.ge.redis.cache.CacheProperties.Near;
import io.ge.redis.cache.CacheWarmer;
import io.ge.redis.cache.CacheWriteBehind;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.SpringCaches;
import io.ge.redis.cache.WriteBehindProperties;
import io.ge.redis.cache.WriteBehindStore;
import io.ge.redis.cache.internal.behind.RedisWriteBehind;
import io.ge.redis.cache.internal.behind.WriteBehind;
import io.ge.redis.cache.internal.engine.CacheCodec;
import io.ge.redis.cache.internal.engine.CacheInvalidations;
import io.ge.redis.cache.internal.engine.CaffeineNearStore;
import io.ge.redis.cache.internal.engine.NearCaches;
import io.ge.redis.cache.internal.engine.NearCheck;
import io.ge.redis.cache.internal.engine.NearFeed;
import io.ge.redis.cache.internal.engine.RedisInvalidations;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.bus.Reports;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.guard.GuardPattern;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.Settings;
import io.ge.redis.core.transaction.TransactionObserver;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aop.Advisor;
import org.springframework.beans.factory.BeanClassLoaderAware;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles the caches. The advisors for readers and writers, the listener for
 * transactions and the API for code share one engine. It is created when the first of
 * them is used.
 */
public final class CachePattern
		implements GuardPattern, TransactionObserver, SpringCaches, BeanClassLoaderAware, AutoCloseable {

	private static final String PATTERN = "cache";

	private static final int CHECK_SECONDS = 5;

	private final AttributeReader attributes;

	private final ExpressionCompiler expressions;

	private final CacheGuard guard;

	private final WriteSteps steps;

	private final CacheTransactions transactions;

	private final ReactiveCacheTransactions reactive;

	private final GuardedCalls calls;

	private final WriteBehind behind;

	private final Supplier<RedisCache> redis;

	private final Supplier<Assembly> assembly;

	private final CacheRegistry definitions;

	private final CacheCodec codec;

	private final SpringCacheManager springManager;

	private final Supplier<CacheProperties> settings;

	private final Supplier<RedisBackend> backend;

	private final AtomicReference<@Nullable Assembly> made = new AtomicReference<>();

	private volatile @Nullable CacheWarmUp warmUp;

	private volatile Function<String, Map<String, Long>> counts = (cache) -> Map.of();

	private ClassLoader classLoader = CachePattern.class.getClassLoader();

	/**
	 * Assembles the caches.
	 * @param verified the share of values that are read back and compared, after the
	 * first of a type
	 * @param behindProperties the settings of caches that are written behind
	 * @param otherNames caches that are listed elsewhere than in the properties
	 */
	public CachePattern(Supplier<CacheProperties> properties, AttributeReader attributes,
			ExpressionCompiler expressions, Supplier<JsonMapper> mapper, DoubleSupplier verified,
			Supplier<RedisBackend> backend, GuardEvents events, Supplier<WriteBehindProperties> behindProperties,
			Supplier<List<WriteBehindStore<?>>> stores, Supplier<ConsumerThreads> threads,
			Supplier<? extends Collection<String>> otherNames, GuardedCalls calls) {
		Supplier<CacheProperties> settings = SingletonSupplier.of(properties);
		this.settings = settings;
		this.backend = backend;
		this.definitions = new CacheRegistry(settings, otherNames);
		this.attributes = attributes;
		this.expressions = expressions;
		this.codec = new CacheCodec(mapper, () -> settings.get().compressAbove().toBytes(), verified);
		this.behind = new WriteBehind(SingletonSupplier.of(behindProperties),
				(cache) -> settings.get().cache(cache).writeBehind(), stores, SingletonSupplier.of(mapper),
				this::changes, events, threads);
		this.redis = SingletonSupplier.of(() -> redis(backend.get(), settings.get()));
		this.assembly = SingletonSupplier.of(() -> assemble(settings.get(), backend.get(), events));
		this.springManager = new SpringCacheManager(this.definitions, () -> this.assembly.get().spring());
		this.calls = calls;
		this.guard = new CacheGuard(() -> this.assembly.get().reader(), () -> this.assembly.get().writer(),
				this::caches);
		this.steps = new WriteSteps(() -> this.assembly.get().engine(), events);
		this.transactions = new CacheTransactions(this.steps);
		this.reactive = new ReactiveCacheTransactions(this.steps, calls, this.transactions);
	}

	/**
	 * Returns the advisor where caches are switched off. What annotated methods would
	 * have put into a cache that is written behind goes to its store before they return.
	 * @param stores the stores of caches that are written behind
	 * @return the advisor; no {@link GuardAdvisor}, since it guards nothing
	 */
	public static Advisor unguardedAdvisor(Supplier<CacheProperties> properties, AttributeReader attributes,
			ExpressionCompiler expressions, Supplier<JsonMapper> mapper, Supplier<List<WriteBehindStore<?>>> stores,
			GuardedCalls calls, int order) {
		Supplier<CacheProperties> settings = SingletonSupplier.of(properties);
		GeCaches unguarded = GeCaches.unguarded(stores);
		CacheGuardOperationSource<CacheWriteBehind> source = new CacheGuardOperationSource<>(CacheWriteBehind.class,
				new CacheRegistry(settings, List::of),
				new CacheCodec(mapper, () -> settings.get().compressAbove().toBytes(), () -> 0), attributes,
				expressions);
		CacheGuard guard = new CacheGuard(CachePattern::none, CachePattern::none, () -> unguarded);
		return new GuardAdvisor(source, calls, guard, order, () -> unguarded).unguarded();
	}

	private static <T> T none() {
		throw new IllegalStateException("Caches are switched off");
	}

	private RedisCache redis(RedisBackend backend, CacheProperties properties) {
		return new RedisCache(backend.redis(PATTERN), backend.keys(PATTERN), backend.bus(), properties.intentTimeout(),
				this.behind::isBehind, this.definitions::isNear);
	}

	private RedisWriteBehind changes() {
		return this.redis.get().writeBehind();
	}

	private Assembly assemble(CacheProperties properties, RedisBackend backend, GuardEvents events) {
		CacheRegistry definitions = this.definitions;
		CacheCodec codec = this.codec;
		definitions.declareConfiguredTypes(codec);
		CacheInvalidations invalidations = new CacheInvalidations(
				new RedisInvalidations(backend.redis(PATTERN), backend.keys(PATTERN), backend.bus()),
				definitions::longestStamped, properties.maxStaleness());
		NearCaches near = near(properties, backend);
		NearCheck check = check(backend.bus());
		CacheEngine engine = new CacheEngine(this.redis.get(), invalidations, near::drop);
		CacheValues values = new CacheValues(definitions, codec);
		CacheReader reader = new CacheReader(definitions, engine, values, this.transactions, this.reactive, events,
				near, this.behind, this.calls);
		CacheWriter writer = new CacheWriter(definitions, values, engine, this.steps, this.transactions, this.reactive,
				this.behind, this.calls);
		CacheBehindWriter behindWriter = new CacheBehindWriter(definitions, codec, values, engine, events, this.behind,
				this.calls);
		DefaultCaches caches = new DefaultCaches(definitions, codec, reader, writer, behindWriter);
		OpenMisses misses = new OpenMisses();
		SpringCache.Parts spring = new SpringCache.Parts(definitions, codec, caches, reader, misses,
				new SpringCachePuts(writer, this.transactions, misses), writer);
		Assembly assembly = new Assembly(engine, near, check, reader, writer, caches, spring);
		this.made.set(assembly);
		CacheReport.over(backend.bus()).give((filter) -> report());
		return assembly;
	}

	private NearCaches near(CacheProperties properties, RedisBackend backend) {
		// Here too, since beans may use a cache before all of them are there
		verifyNear();
		InstanceBus bus = backend.bus();
		boolean any = this.definitions.isAnyNear(Near::isKeeping);
		NearFeed feed = new NearFeed(System::nanoTime, bus::confirmedAt, properties.maxStaleness());
		// Messages between the nodes of a Cluster may get lost without a sign
		Duration sure = backend.connection().isClustered() ? properties.maxStaleness() : CacheSettings.EVER;
		NearCaches near = new NearCaches(any, (cache) -> this.definitions.near(cache, new Settings()),
				CaffeineNearStore::new, feed, sure, new CompletableFuture<>().defaultExecutor());
		if (any) {
			this.redis.get().onInvalidation(near::drop);
			bus.onLost(near::dropAll);
			bus.onSubscribed(near::dropAll);
			bus.confirmWhile(feed::isNeeded);
		}
		return near;
	}

	// Also where nothing is kept, since others rely on being notified. A user without the
	// right to publish often cannot subscribe, so the subscription is not waited for
	private NearCheck check(InstanceBus bus) {
		NearCheck check = new NearCheck(bus::tryPublish, bus.notificationChannel(), bus.channelPattern(),
				CompletableFuture.delayedExecutor(CHECK_SECONDS, TimeUnit.SECONDS));
		if (this.definitions.isAnyNear(Near::enabled)) {
			this.redis.get().onRecovery(check::run);
			bus.onSubscribed(check::run);
			bus.onLost(check::run);
			check.run();
		}
		return check;
	}

	/**
	 * Returns the advisor of one of the cache annotations.
	 */
	public GuardAdvisor advisor(Class<? extends Annotation> annotation, int order) {
		return new GuardAdvisor(new CacheGuardOperationSource<>(annotation, this.definitions, this.codec,
				this.attributes, this.expressions), this.calls, this.guard, order, this.assembly);
	}

	/**
	 * Returns what writes the changes of caches that are written behind, to be started
	 * and stopped with the application if it has a store.
	 */
	public WriteBehind writeBehind() {
		return this.behind;
	}

	@Override
	public TransactionExecutionListener transactionListener() {
		return this.transactions;
	}

	@Override
	public TransactionExecutionListener reactiveTransactionListener() {
		return this.reactive;
	}

	public GeCaches caches() {
		return this.assembly.get().caches();
	}

	@Override
	public SpringCacheManager cacheManager() {
		return this.springManager;
	}

	/**
	 * Inspects the methods with Spring's cache annotations, for what cannot work and for
	 * the names of caches. It changes nothing about them.
	 * @throws io.ge.redis.GuardConfigurationException if one cannot work
	 */
	public void verify(ConfigurableListableBeanFactory beans, CacheOperationSource source) {
		new SpringCacheMethods(beans, this.definitions, this.behind).verify(source);
	}

	/**
	 * Returns what runs warmers.
	 * @param warmers the warmers, in the order in which they run
	 */
	public CacheWarmUp warmUp(List<? extends CacheWarmer<?>> warmers) {
		CacheWarmUp made = new CacheWarmUp(warmers, this.redis.get(), this.settings.get().warmUp(),
				this.backend.get().bus().instanceId());
		this.warmUp = made;
		return made;
	}

	/**
	 * Returns the names in the properties that no annotation, of Spring's neither, and no
	 * store uses. To be called when all annotated methods are known.
	 */
	public Set<String> unusedNames() {
		Set<String> names = this.definitions.unusedNames();
		names.removeAll(this.behind.storedCaches());
		return names;
	}

	/**
	 * Returns the names of caches that Spring's annotations read, or write and evict.
	 */
	public Set<String> namesBySpring(boolean read) {
		return this.definitions.namesBySpring(read);
	}

	/**
	 * Lets this instance report its counts when others ask.
	 * @param counts the counts of this instance since it started, by the name of a cache
	 */
	public void countBy(Function<String, Map<String, Long>> counts) {
		this.counts = counts;
	}

	public CacheControl control() {
		return new CacheControl(this.definitions, this.assembly.get().writer(),
				CacheReport.over(this.backend.get().bus()));
	}

	private CacheReport report() {
		List<CacheReport.Counts> all = new ArrayList<>();
		Assembly assembly = this.made.get();
		this.definitions.names().forEach((name) -> {
			Map<String, Long> counted = new TreeMap<>(this.counts.apply(name));
			Long kept = (assembly != null) ? assembly.near().size(name) : null;
			if (kept != null) {
				counted.put(CacheReport.NEAR, kept);
			}
			all.add(new CacheReport.Counts(name, counted));
		});
		CacheWarmUp warming = this.warmUp;
		return new CacheReport(Reports.process(), (assembly != null) ? assembly.engine().dueRemovals() : 0, all,
				(warming != null) ? warming.progress() : List.of());
	}

	@Override
	public void verify() {
		this.definitions.declareConfiguredTypes(this.codec);
		this.definitions.verify(this.behind);
		verifyNear();
	}

	// The class loader of a thread says nothing: it may be any
	private void verifyNear() {
		this.definitions.verifyNear(ClassUtils.isPresent(CaffeineNearStore.DEPENDENCY, this.classLoader)
				&& ClassUtils.isPresent(CaffeineNearStore.DEPENDENCY, CachePattern.class.getClassLoader()));
	}

	@Override
	public void setBeanClassLoader(ClassLoader classLoader) {
		this.classLoader = classLoader;
	}

	@Override
	public void close() {
		Assembly assembly = this.made.get();
		if (assembly != null) {
			assembly.check().close();
			assembly.engine().close();
		}
	}

	private record Assembly(CacheEngine engine, NearCaches near, NearCheck check, CacheReader reader,
			CacheWriter writer, DefaultCaches caches, SpringCache.Parts spring) {
	}

}
