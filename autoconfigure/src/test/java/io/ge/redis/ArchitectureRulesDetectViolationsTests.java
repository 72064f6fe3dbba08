// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A rule is worth something once it has failed: each of {@link ArchitectureRules} catches
 * the classes that were planted to break it.
 */
class ArchitectureRulesDetectViolationsTests {

	private static final String ROOT = "io.ge.redis.archfixtures";

	private static final JavaClasses PLANTED = new ClassFileImporter().importPackages(ROOT);

	private static final Map<String, ArchRule> RULES = new ArchitectureRules(ROOT, PLANTED).all();

	private static final Map<String, List<String>> VIOLATORS = violators();

	private static Map<String, List<String>> violators() {
		Map<String, List<String>> violators = new LinkedHashMap<>();
		violators.put("every package has its place in the house", List.of("helpers.Misplaced"));
		violators.put("the root package knows nothing below it", List.of("RootKnowsLock"));
		violators.put("core knows no pattern, no adapter and no auto-configuration", List.of("core.CoreKnowsLock"));
		violators.put("core has no constant named after a pattern", List.of("core.PatternList"));
		violators.put("a pattern knows no other pattern", List.of("lock.LockKnowsCache"));
		violators.put("a pattern knows no adapter", List.of("lock.LockKnowsWeb"));
		violators.put("only auto-configuration, actuate and web use the internals of a pattern",
				List.of("security.SecurityUsesInternals"));
		violators.put("no public signature of a pattern mentions an internal type",
				List.of("lock.LockMentionsInternals"));
		violators.put("web knows patterns only in their rooms", List.of("web.WebUsesInternals"));
		violators.put("web.exchange knows no pattern but idempotency", List.of("web.exchange.ExchangeKnowsLock"));
		violators.put("web.limit knows no pattern but ratelimit", List.of("web.limit.LimitKnowsLock"));
		violators.put("web.lock knows no pattern but lock", List.of("web.lock.WebLockKnowsCache"));
		violators.put("web.session knows no pattern but session", List.of("web.session.WebSessionKnowsCache"));
		violators.put("an adapter knows no other adapter", List.of("web.WebKnowsSecurity"));
		violators.put("only auto-configuration and actuate know auto-configuration",
				List.of("web.WebKnowsAutoConfiguration"));
		violators.put("packages form no cycle", List.of("core.one.First", "core.two.Second"));
		violators.put("only the Redis* classes of a pattern use scripts, keys and drivers",
				List.of("lock.UsesScripts"));
		violators.put("web and security use no scripts and keys", List.of("web.WebUsesKeys"));
		violators.put("core and patterns take from Boot nothing but configuration properties",
				List.of("core.CoreUsesBoot", "lock.LockUsesBoot"));
		violators.put("web and security take nothing from Boot", List.of("web.WebProperties"));
		violators.put("only auto-configuration and actuate know Micrometer", List.of("lock.LockUsesMicrometer"));
		violators.put("core and patterns know neither the web nor Spring Security", List.of("cache.CacheUsesHttp"));
		violators.put("a pattern knows no Reactor types", List.of("lock.LockUsesReactor"));
		violators.put("only the store of a near cache knows Caffeine", List.of("cache.CacheUsesCaffeine"));
		violators.put("auto-configurations are public, final, named so and in their package",
				List.of("autoconfigure.HiddenAutoConfiguration", "autoconfigure.Misnamed"));
		violators.put("actuate shows auto-configurations and its endpoint only", List.of("actuate.ShownMeters"));
		violators.put("auto-configurations have no public methods",
				List.of("autoconfigure.PublicMethodAutoConfiguration"));
		violators.put("post-processor beans have static methods",
				List.of("autoconfigure.InstancePostProcessorConfiguration"));
		violators.put("advisor beans are infrastructure", List.of("autoconfigure.OrdinaryAdvisorConfiguration"));
		violators.put("class conditions stand on classes", List.of("autoconfigure.ClassConditionOnBeanConfiguration"));
		violators.put("names of beans start with that of the library",
				List.of("autoconfigure.OrdinaryAdvisorConfiguration", "autoconfigure.RenamedBeanConfiguration"));
		violators.put("every package is null-marked", List.of("helpers.Misplaced", "web.WebPort"));
		violators.put("nothing is synchronized", List.of("core.SynchronizedMethod", "core.SynchronizedBlock"));
		violators.put("nothing uses types that synchronize",
				List.of("core.AppendsToStringBuffer", "core.HoldsHashtable"));
		violators.put("nothing uses collections that were wrapped to synchronize", List.of("core.WrapsMap"));
		violators.put("nothing waits inside a monitor of the platform",
				List.of("core.ComputesOverRedis", "core.ComputesOverPort", "core.ComputesWaiting",
						"core.ComputesUnknownFunction", "core.MergesCallback", "core.RemovesOverDatabase",
						"core.InitialisesOverRedis"));
		violators.put("nothing reads the wall clock", List.of("core.ReadsCurrentTimeMillis", "core.ReadsInstant",
				"core.ReadsLocalDate", "core.ReadsClock", "core.ReadsDate", "core.HoldsClock", "core.RefersToInstant"));
		violators.put("nothing logs through java.util.logging", List.of("core.UsesJavaLogging"));
		violators.put("nothing prints", List.of("core.Prints"));
		violators.put("nothing is autowired by annotation", List.of("core.InjectsField"));
		violators.put("letter case names its locale", List.of("core.LowersCase"));
		return violators;
	}

	@Test
	void everyRuleHasPlantedViolators() {
		assertThat(VIOLATORS.keySet()).containsExactlyInAnyOrderElementsOf(RULES.keySet());
	}

	@TestFactory
	Stream<DynamicTest> catches() {
		return VIOLATORS.entrySet()
			.stream()
			.map((planted) -> DynamicTest.dynamicTest(planted.getKey(),
					() -> assertThat(failureOf(planted.getKey())).as(planted.getKey())
						.contains(qualified(planted.getValue()))));
	}

	@Test
	void doesNotReportWhatIsAllowed() {
		assertThat(failureOf("only the Redis* classes of a pattern use scripts, keys and drivers"))
			.doesNotContain("RedisLock");
		assertThat(failureOf("core and patterns take from Boot nothing but configuration properties"))
			.doesNotContain("LockProperties");
		assertThat(failureOf("every package is null-marked")).doesNotContain("LockPort");
		assertThat(failureOf("nothing reads the wall clock")).doesNotContain("ConvertsDate");
		assertThat(failureOf("nothing waits inside a monitor of the platform")).doesNotContain("ComputesInMemory");
		for (String rule : List.of("auto-configurations are public, final, named so and in their package",
				"auto-configurations have no public methods", "post-processor beans have static methods",
				"advisor beans are infrastructure", "names of beans start with that of the library")) {
			assertThat(failureOf(rule)).doesNotContain("SoundAutoConfiguration");
		}
	}

	private static List<String> qualified(List<String> names) {
		return names.stream().map((name) -> ROOT + "." + name).toList();
	}

	private static String failureOf(String rule) {
		return RULES.get(rule).evaluate(PLANTED).getFailureReport().toString();
	}

}
