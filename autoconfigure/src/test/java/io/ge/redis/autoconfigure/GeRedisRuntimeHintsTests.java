// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.test.Sources;
import io.lettuce.core.resource.ClientResources;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link GeRedisRuntimeHints}.
 */
class GeRedisRuntimeHintsTests {

	private static final String RESOURCES = "src/main/resources";

	private final RuntimeHints hints = hints(getClass().getClassLoader());

	private static RuntimeHints hints(ClassLoader classLoader) {
		RuntimeHints hints = new RuntimeHints();
		new GeRedisRuntimeHints().registerHints(hints, classLoader);
		return hints;
	}

	@Test
	void everyScriptIsInTheImage() throws IOException {
		List<String> scripts = resources(".lua");
		assertThat(scripts).hasSizeGreaterThan(30);
		assertThat(scripts).allSatisfy(
				(script) -> assertThat(RuntimeHintsPredicates.resource().forResource(script)).accepts(this.hints));
	}

	@Test
	void everyTableIsInTheImage() throws IOException {
		List<String> tables = resources(".sql");
		assertThat(tables).hasSize(4);
		assertThat(tables).allSatisfy(
				(table) -> assertThat(RuntimeHintsPredicates.resource().forResource(table)).accepts(this.hints));
	}

	@Test
	void nothingElseOfTheApplicationIsInTheImage() {
		assertThat(RuntimeHintsPredicates.resource().forResource("scripts/of/the/application.lua")).rejects(this.hints);
		assertThat(RuntimeHintsPredicates.resource().forResource("db/migration/V1__schema.sql")).rejects(this.hints);
	}

	@Test
	void everyClassWhosePresenceIsAskedForIsFound() throws IOException {
		assertThat(GeRedisRuntimeHints.ASKED_FOR).containsExactlyElementsOf(classesAskedFor());
		for (String name : GeRedisRuntimeHints.ASKED_FOR) {
			if (ClassUtils.isPresent(name, getClass().getClassLoader())) {
				Class<?> type = ClassUtils.resolveClassName(name, getClass().getClassLoader());
				assertThat(RuntimeHintsPredicates.reflection().onType(type)).accepts(this.hints);
			}
		}
	}

	@Test
	void viewOfTheDriversResourcesIsAProxy() {
		assertThat(RuntimeHintsPredicates.proxies().forInterfaces(ClientResources.class)).accepts(this.hints);
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(ClientResources.class)
			.withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS)).accepts(this.hints);
	}

	@Test
	void worksWithoutLettuce() {
		RuntimeHints withJedis = hints(new FilteredClassLoader("io.lettuce"));
		assertThat(withJedis.proxies().jdkProxyHints()).isEmpty();
		assertThat(RuntimeHintsPredicates.resource().forResource("io/ge/redis/lock/acquire.lua")).accepts(withJedis);
	}

	@Test
	void rootOfExpressionsIsReached() {
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(MethodExpression.CallRoot.class)
			.withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS)).accepts(this.hints);
	}

	@Test
	void keysOfRulesAreReadFromTheRequest() {
		for (Class<?> request : List.of(HttpServletRequest.class, ServerHttpRequest.class)) {
			assertThat(RuntimeHintsPredicates.reflection()
				.onType(request)
				.withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS)).accepts(this.hints);
		}
	}

	@Test
	void statusOfClientErrorsIsRead() {
		for (String name : GeRedisRuntimeHints.STATUS) {
			Class<?> type = ClassUtils.resolveClassName(name, getClass().getClassLoader());
			assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(type, "getStatusCode"))
				.accepts(this.hints);
		}
	}

	@Test
	void headOfStoredResponsesIsReadAndWritten() {
		Class<?> head = ClassUtils.resolveClassName("io.ge.redis.web.exchange.StoredResponse$Head",
				getClass().getClassLoader());
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(head)
			.withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)).accepts(this.hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(head, "headers")).accepts(this.hints);
	}

	@Test
	void reportsOfInstancesAreReadAndWritten() {
		for (String name : List.of("core.bus.Reports$Filter", "lock.internal.LockReport",
				"lock.internal.LockReport$Holder", "lock.internal.LockReport$Waiters",
				"idempotency.internal.IdempotencyReport", "idempotency.internal.IdempotencyReport$Key",
				"cache.internal.CacheReport", "cache.internal.CacheReport$Counts",
				"cache.internal.CacheWarmUp$Progress")) {
			Class<?> report = ClassUtils.resolveClassName("io.ge.redis." + name, getClass().getClassLoader());
			assertThat(RuntimeHintsPredicates.reflection()
				.onType(report)
				.withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)).as(name).accepts(this.hints);
			assertThat(RuntimeHintsPredicates.reflection()
				.onMethodInvocation(report, report.getRecordComponents()[0].getName())).as(name).accepts(this.hints);
		}
	}

	private static List<String> resources(String extension) throws IOException {
		return Sources.ofLibrary(RESOURCES, extension)
			.stream()
			.map((file) -> file.toString().replace('\\', '/').split(RESOURCES + "/")[1])
			.toList();
	}

	// The names of classes outside of conditions, which are asked when the image is
	// built
	private static Set<String> classesAskedFor() throws IOException {
		Set<String> names = new TreeSet<>();
		List<String> sources = new ArrayList<>();
		for (Path file : Sources.ofLibrary("src/main/java", ".java")) {
			String name = file.getFileName().toString();
			boolean building = file.toString().contains("aot") || name.equals("GeRedisRuntimeHints.java")
					|| (name.endsWith("AutoConfiguration.java") && !name.equals("GeRedisAutoConfiguration.java"));
			if (!building) {
				sources.add(Files.readString(file));
			}
		}
		for (String source : sources) {
			Matcher literal = Pattern.compile("\"([a-z]+(?:\\.[a-z0-9]+)+\\.[A-Z]\\w+)\"").matcher(source);
			while (literal.find() && (source.contains("isPresent(") || source.contains("DEPENDENCY"))) {
				names.add(literal.group(1));
			}
		}
		// Compared with the name of a type, or of an annotation
		names.removeAll(Set.of("kotlinx.coroutines.Deferred", "kotlinx.coroutines.flow.Flow",
				"org.reactivestreams.Publisher", "org.springframework.security.access.prepost.PostAuthorize",
				"org.springframework.security.access.prepost.PostFilter", "org.springframework.http.HttpEntity",
				"org.springframework.web.bind.annotation.RequestMapping",
				"org.springframework.web.context.request.async.DeferredResult",
				"org.springframework.web.context.request.async.WebAsyncTask",
				"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
				"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody"));
		return names;
	}

}
