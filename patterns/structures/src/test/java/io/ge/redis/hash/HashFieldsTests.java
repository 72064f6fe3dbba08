// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.hash;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.PropertyNamingStrategy;
import tools.jackson.databind.annotation.JsonNaming;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link HashFields}, in the order of the tables in docs/hash-stores.md.
 */
class HashFieldsTests {

	private static final PropertyNamingStrategy SNAKE = PropertyNamingStrategies.SNAKE_CASE;

	static List<PropertyNamingStrategy> strategies() {
		return List.of(PropertyNamingStrategies.LOWER_CAMEL_CASE, PropertyNamingStrategies.UPPER_CAMEL_CASE, SNAKE,
				PropertyNamingStrategies.UPPER_SNAKE_CASE, PropertyNamingStrategies.LOWER_CASE,
				PropertyNamingStrategies.KEBAB_CASE, PropertyNamingStrategies.LOWER_DOT_CASE);
	}

	@ParameterizedTest
	@MethodSource("strategies")
	void aPropertyHasOneFieldForAllOperations(PropertyNamingStrategy strategy) throws Exception {
		HashFields fields = fields(strategy);
		String field = fields.field("agents", "maxSteps");
		assertThat(fields.field("agents", field)).isEqualTo(field);
		assertThat(fields.of("agents", new Steps(1))).containsOnlyKeys(field);
		assertThat(fields.of("agents", Map.of("maxSteps", 1))).containsOnlyKeys(field);
		JsonNode json = JsonMapper.shared().valueToTree(Map.of("maxSteps", 2));
		assertThat(fields.of("agents", json)).containsOnlyKeys(field);
		assertThat(fields.reader("agents", Steps.class).<Steps>readValue("{\"" + field + "\":3}"))
			.isEqualTo(new Steps(3));
	}

	@Test
	void aPropertyThatAnAnnotationRenamesHasItsNameInJson() {
		for (Class<?> type : List.of(Named.class, Renamed.class, Bean.class)) {
			for (boolean written : List.of(true, false)) {
				HashFields fields = fields(null);
				if (written) {
					fields.of("agents", state(type));
				}
				else {
					fields.reader("agents", type);
				}
				assertThat(fields.field("agents", "max_steps")).isEqualTo("max_steps");
				assertThat(fields.field("others", "maxSteps")).isEqualTo("maxSteps");
				refuses("field 'maxSteps' is 'max_steps' in JSON", () -> fields.field("agents", "maxSteps"));
				refuses("field 'maxSteps' is", () -> fields.of("agents", Map.of("maxSteps", 1)));
			}
		}
		JsonMapper mixins = JsonMapper.builder().addMixIn(Steps.class, Renamed.class).build();
		HashFields fields = new HashFields(mixins);
		assertThat(fields.of("agents", new Steps(1))).containsOnlyKeys("max_steps");
		refuses("field 'maxSteps' is", () -> fields.field("agents", "maxSteps"));
		fields.reader("agents", Bean.class);
		new HashFields(mixins).reader("agents", Map.class);
	}

	private static Object state(Class<?> type) {
		return (type == Named.class) ? new Named(1) : (type == Renamed.class) ? new Renamed(1) : new Bean();
	}

	@Test
	void aClassThatNamesAPropertyLikeThatIsNotRefusedByAnother() {
		HashFields fields = fields(null);
		fields.reader("agents", Renamed.class);
		fields.reader("agents", Steps.class);
		assertThat(fields.field("agents", "maxSteps")).isEqualTo("maxSteps");
	}

	@Test
	void whatSomeOperationsWouldNotFindIsRefused() {
		refuses("'maxSteps' of " + Camel.class.getName() + " has a name that the naming strategy",
				() -> fields(SNAKE).reader("agents", Camel.class));
		refuses("Name it 'max_steps'", () -> fields(SNAKE).of("agents", new Camel(1)));
		refuses("'maxSteps' of state has a name", () -> fields(SNAKE).of("agents", new Any(Map.of("maxSteps", 1))));
		assertThat(fields(null).of("agents", new Any(Map.of("maxSteps", 1)))).containsOnlyKeys("maxSteps");
		refuses("Remove @JsonAlias", () -> fields(null).reader("agents", Alias.class));
		refuses("Remove @JsonAlias", () -> fields(null).of("agents", new Alias(1)));
		refuses("Remove @JsonUnwrapped", () -> fields(null).of("agents", new Unwrapped("a", null)));
		refuses("Remove @JsonUnwrapped",
				() -> fields(null).of("agents", Map.of("a", List.of(new Unwrapped("a", new Steps(1))))));
		Map<String, Integer> twice = new LinkedHashMap<>(Map.of("max_steps", 1));
		twice.put("maxSteps", 2);
		refuses("has 'max_steps' and another name of it", () -> fields(SNAKE).of("agents", twice));
		refuses("state must be an object", () -> fields(null).of("agents", null));
	}

	static List<JsonMapper> inclusions() {
		return List.of(JsonMapper.builder().changeDefaultPropertyInclusion((value) -> all(Include.NON_NULL)).build(),
				JsonMapper.builder().changeDefaultPropertyInclusion((value) -> all(Include.NON_EMPTY)).build(),
				JsonMapper.builder().changeDefaultPropertyInclusion((value) -> all(Include.NON_DEFAULT)).build(),
				JsonMapper.builder()
					.withConfigOverride(Map.class, (type) -> type.setInclude(all(Include.NON_NULL)))
					.withConfigOverride(String.class, (type) -> type.setInclude(all(Include.NON_NULL)))
					.withConfigOverride(Included.class, (type) -> type.setInclude(all(Include.NON_EMPTY)))
					.build(),
				JsonMapper.builder().addMixIn(Included.class, Unwrapped.class).build());
	}

	private static JsonInclude.Value all(Include inclusion) {
		return JsonInclude.Value.construct(inclusion, inclusion);
	}

	@ParameterizedTest
	@MethodSource("inclusions")
	void everyPropertyIsWrittenWhateverIsIncluded(JsonMapper application) {
		HashFields fields = new HashFields(application);
		Map<String, JsonNode> written = fields.of("agents", new Included(null, List.of(), Optional.empty(), 0));
		assertThat(written).containsOnlyKeys("task", "list", "optional", "number");
		assertThat(written.get("task").isNull()).isTrue();
		assertThat(written.get("list").isEmpty()).isTrue();
		assertThat(written.get("optional").isNull()).isTrue();
		for (Map<String, @Nullable Object> map : List.of(Collections.<String, @Nullable Object>singletonMap("x", null),
				new TreeMap<>(Collections.<String, @Nullable Object>singletonMap("x", null)))) {
			assertThat(fields.of("agents", map).get("x").isNull()).isTrue();
		}
	}

	private static HashFields fields(@Nullable PropertyNamingStrategy strategy) {
		return new HashFields(JsonMapper.builder().propertyNamingStrategy(strategy).build());
	}

	private static void refuses(String problem, Runnable call) {
		assertThatIllegalArgumentException().isThrownBy(call::run).withMessageContaining(problem);
	}

	record Steps(int maxSteps) {
	}

	@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
	record Named(int maxSteps) {
	}

	record Renamed(@JsonProperty("max_steps") int maxSteps) {
	}

	record Camel(@JsonProperty("maxSteps") int steps) {
	}

	record Alias(@JsonAlias("steps") int maxSteps) {
	}

	record Unwrapped(String name, @JsonUnwrapped @Nullable Steps steps) {
	}

	record Any(@JsonAnyGetter Map<String, Integer> more) {
	}

	@JsonInclude(Include.NON_NULL)
	record Included(@Nullable String task, @JsonInclude(Include.NON_EMPTY) List<String> list,
			@JsonInclude(Include.NON_ABSENT) Optional<String> optional, @JsonInclude(Include.NON_DEFAULT) int number) {
	}

	static final class Bean {

		private int maxSteps;

		@JsonProperty("max_steps")
		public int getMaxSteps() {
			return this.maxSteps;
		}

		public void setMaxSteps(int maxSteps) {
			this.maxSteps = maxSteps;
		}

	}

}
