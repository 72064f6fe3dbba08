// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.util.Hashtable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.Stack;
import java.util.Timer;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;
import com.tngtech.archunit.library.GeneralCodingRules;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/**
 * The rules that keep the house in shape, for the packages below a root package. They are
 * checked twice: {@link ArchitectureTests} wants the library to keep all of them, and
 * {@link ArchitectureRulesDetectViolationsTests} wants each of them to catch a class that
 * was planted to break it.
 */
final class ArchitectureRules {

	static final Set<String> PATTERNS = Set.of("ratelimit", "lock", "idempotency", "cache", "blacklist", "stream",
			"queue", "broadcast", "session", "state", "leaderboard", "counter", "bloom", "geo", "hash", "script",
			"breaker");

	static final Set<String> ADAPTERS = Set.of("web", "security", "actuate", "embedded");

	/**
	 * Packages that build, show or adapt a pattern, and so may use its internal package.
	 */
	static final Set<String> BUILDERS = Set.of("autoconfigure", "actuate", "web");

	/**
	 * Sub-packages of {@code web} for what only one pattern needs there, and that one.
	 */
	static final Map<String, String> WEB_ROOMS = new TreeMap<>(
			Map.of("limit", "ratelimit", "exchange", "idempotency", "lock", "lock", "session", "session"));

	static final Set<String> HOUSE = union(PATTERNS, ADAPTERS, Set.of("core", "autoconfigure"));

	private static final Class<?>[] SYNCHRONIZING = { Hashtable.class, Vector.class, Stack.class, StringBuffer.class,
			Timer.class };

	private final Map<String, ArchRule> rules = new LinkedHashMap<>();

	private final String root;

	private final JavaClasses classes;

	private final ArchitectureConditions conditions;

	ArchitectureRules(String root, JavaClasses classes) {
		this.root = root;
		this.classes = classes;
		this.conditions = new ArchitectureConditions(root);
		addHouse();
		addLibraries();
		addAutoConfiguration();
		addCode();
	}

	/**
	 * Return the rules by name. A rule may look at nothing as long as none of the
	 * packages it is about exists; from then on ArchUnit fails it when it is empty.
	 */
	Map<String, ArchRule> all() {
		return this.rules;
	}

	private void addHouse() {
		add("every package has its place in the house",
				classes().should(this.conditions.resideInTheRootOrBelowOneOf(HOUSE)));
		add("the root package knows nothing below it",
				noClasses().that()
					.resideInAPackage(this.root)
					.should()
					.dependOnClassesThat()
					.resideInAPackage(this.root + ".*.."));
		add("core knows no pattern, no adapter and no auto-configuration", Set.of("core"),
				noClassesIn(Set.of("core")).should()
					.dependOnClassesThat()
					.resideInAnyPackage(below(union(PATTERNS, ADAPTERS, Set.of("autoconfigure")))));
		add("core has no constant named after a pattern", Set.of("core"),
				classesIn(Set.of("core")).should(this.conditions.notListPatternsAsEnumConstants(PATTERNS)));
		add("a pattern knows no other pattern", PATTERNS,
				classesIn(PATTERNS).should(this.conditions.stayWithinTheirOwnOf(PATTERNS)));
		add("a pattern knows no adapter", PATTERNS,
				noClassesIn(PATTERNS).should().dependOnClassesThat().resideInAnyPackage(below(ADAPTERS)));
		add("only auto-configuration, actuate and web use the internals of a pattern",
				noClasses().that()
					.resideOutsideOfPackages(below(union(PATTERNS, BUILDERS)))
					.should()
					.dependOnClassesThat()
					.resideInAnyPackage(below(Set.of("internal"), ".*.")));
		add("no public signature of a pattern mentions an internal type", PATTERNS,
				classesIn(PATTERNS).and()
					.arePublic()
					.and()
					.resideOutsideOfPackages(below(Set.of("internal"), ".*."))
					.should(this.conditions.mentionNoInternalTypeInTheirSignatures()));
		add("web knows patterns only in their rooms", Set.of("web"),
				noClassesIn(Set.of("web")).and()
					.resideOutsideOfPackages(below(WEB_ROOMS.keySet(), ".web."))
					.should()
					.dependOnClassesThat()
					.resideInAnyPackage(below(PATTERNS)));
		WEB_ROOMS.forEach((room, pattern) -> add("web." + room + " knows no pattern but " + pattern, Set.of("web"),
				noClassesIn(Set.of("web." + room)).should()
					.dependOnClassesThat()
					.resideInAnyPackage(below(without(PATTERNS, pattern)))));
		add("an adapter knows no other adapter", ADAPTERS,
				classesIn(ADAPTERS).should(this.conditions.stayWithinTheirOwnOf(ADAPTERS)));
		add("only auto-configuration and actuate know auto-configuration",
				noClasses().that()
					.resideOutsideOfPackages(this.root + ".autoconfigure..", this.root + ".actuate..")
					.should()
					.dependOnClassesThat()
					.resideInAPackage(this.root + ".autoconfigure.."));
		add("packages form no cycle", HOUSE, slices().matching(this.root + ".(**)").should().beFreeOfCycles());
		add("only the Redis* classes of a pattern use scripts, keys and drivers", PATTERNS,
				classesIn(PATTERNS).and(ArchitectureConditions.areNotPartOfRedisAdapters())
					.should()
					.onlyDependOnClassesThat()
					.resideOutsideOfPackages(this.root + ".core.script..", this.root + ".core.key..",
							"org.springframework.data.redis..", "io.lettuce..", "redis.clients.."));
		add("web and security use no scripts and keys", Set.of("web", "security"),
				noClassesIn(Set.of("web", "security")).should()
					.dependOnClassesThat()
					.resideInAnyPackage(this.root + ".core.script..", this.root + ".core.key.."));
	}

	private void addLibraries() {
		add("core and patterns take from Boot nothing but configuration properties", union(PATTERNS, Set.of("core")),
				noClassesIn(union(PATTERNS, Set.of("core"))).should()
					.dependOnClassesThat(ArchitectureConditions.belongToBootButNotToItsConfigurationProperties()));
		add("web and security take nothing from Boot", Set.of("web", "security"),
				noClassesIn(Set.of("web", "security")).should()
					.dependOnClassesThat()
					.resideInAPackage("org.springframework.boot.."));
		add("only auto-configuration and actuate know Micrometer",
				noClasses().that()
					.resideOutsideOfPackages(below(Set.of("autoconfigure", "actuate")))
					.should()
					.dependOnClassesThat()
					.resideInAPackage("io.micrometer.."));
		add("core and patterns know neither the web nor Spring Security", union(PATTERNS, Set.of("core")),
				noClassesIn(union(PATTERNS, Set.of("core"))).should()
					.dependOnClassesThat()
					.resideInAnyPackage("jakarta.servlet..", "org.springframework.web..", "org.springframework.http..",
							"org.springframework.security.."));
		add("a pattern knows no Reactor types", PATTERNS,
				noClassesIn(PATTERNS).should()
					.dependOnClassesThat()
					.resideInAnyPackage("reactor..", "org.reactivestreams.."));
		add("only the store of a near cache knows Caffeine",
				noClasses().that()
					.doNotHaveSimpleName("CaffeineNearStore")
					.should()
					.dependOnClassesThat()
					.resideInAPackage("com.github.benmanes.."));
	}

	private void addAutoConfiguration() {
		Set<String> autoConfigure = Set.of("autoconfigure", "actuate", "embedded");
		add("auto-configurations are public, final, named so and in their package", autoConfigure,
				classes().that()
					.areAnnotatedWith(AutoConfiguration.class)
					.should()
					.bePublic()
					.andShould()
					.haveModifier(JavaModifier.FINAL)
					.andShould()
					.haveSimpleNameEndingWith("AutoConfiguration")
					.andShould()
					.resideInAnyPackage(below(autoConfigure)));
		add("actuate shows auto-configurations and its endpoint only", Set.of("actuate"),
				classesIn(Set.of("actuate")).and()
					.areTopLevelClasses()
					.and()
					.areNotAnnotatedWith(AutoConfiguration.class)
					.and()
					.areNotAnnotatedWith(Endpoint.class)
					.should()
					.notBePublic());
		add("auto-configurations have no public methods", autoConfigure,
				classes().that()
					.areAnnotatedWith(AutoConfiguration.class)
					.should(this.conditions.declareNoPublicMethods()));
		add("post-processor beans have static methods", autoConfigure,
				classesIn(autoConfigure).should(this.conditions.declarePostProcessorBeansStatic()));
		add("advisor beans are infrastructure", autoConfigure,
				classesIn(autoConfigure).should(this.conditions.declareAdvisorBeansAsInfrastructure()));
		add("class conditions stand on classes", autoConfigure,
				classesIn(autoConfigure).should(this.conditions.declareNoClassConditionsOnBeanMethods()));
		add("names of beans start with that of the library", autoConfigure,
				classesIn(autoConfigure).should(this.conditions.nameBeansAfterTheLibrary()));
	}

	private void addCode() {
		add("every package is null-marked", classes().should(this.conditions.resideInNullMarkedPackages()));
		add("nothing is synchronized", classes().should(this.conditions.notSynchronize()));
		add("nothing uses types that synchronize",
				noClasses().should().dependOnClassesThat().belongToAnyOf(SYNCHRONIZING));
		add("nothing uses collections that were wrapped to synchronize",
				classes().should(this.conditions.notWrapCollectionsToSynchronize()));
		add("nothing waits inside a monitor of the platform",
				classes().should(new MonitorConditions(this.classes).notWaitInsideMonitors()));
		add("nothing reads the wall clock", classes().should(this.conditions.notReadTheWallClock()));
		add("nothing logs through java.util.logging",
				noClasses().should().dependOnClassesThat().resideInAPackage("java.util.logging.."));
		add("nothing prints", GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS);
		add("nothing is autowired by annotation",
				noClasses().should().dependOnClassesThat().areAssignableTo(Autowired.class));
		add("letter case names its locale",
				noClasses().should()
					.callMethod(String.class, "toLowerCase")
					.orShould()
					.callMethod(String.class, "toUpperCase"));
	}

	private void add(String name, ArchRule rule) {
		add(name, Set.of(), rule);
	}

	private void add(String name, Set<String> about, ArchRule rule) {
		boolean noneExists = !about.isEmpty() && this.classes.stream().noneMatch(this.conditions.resideBelow(about));
		this.rules.put(name, rule.allowEmptyShould(noneExists));
	}

	private GivenClassesConjunction classesIn(Set<String> places) {
		return classes().that().resideInAnyPackage(below(places));
	}

	private GivenClassesConjunction noClassesIn(Set<String> places) {
		return noClasses().that().resideInAnyPackage(below(places));
	}

	private String[] below(Set<String> places) {
		return below(places, ".");
	}

	private String[] below(Set<String> places, String between) {
		return places.stream().map((place) -> this.root + between + place + "..").toArray(String[]::new);
	}

	private static Set<String> without(Set<String> set, String element) {
		Set<String> without = new TreeSet<>(set);
		without.remove(element);
		return without;
	}

	@SafeVarargs
	private static Set<String> union(Set<String>... sets) {
		Set<String> union = new TreeSet<>();
		for (Set<String> set : sets) {
			union.addAll(set);
		}
		return union;
	}

}
