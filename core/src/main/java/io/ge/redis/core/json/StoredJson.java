// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.json;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.util.StdDateFormat;

/**
 * The JSON of stored values. Its mapper is made from the application's, without the
 * settings that change values.
 * <p>
 * Modules, mixins, naming strategies, visibility, mapper features, time zone and locale
 * are the application's. Date format, property inclusion, handling of nulls, default
 * typing and all other features have Jackson's defaults, with these exceptions: enums are
 * written by name, dates keep their offset and zone, sets keep their order, and trees
 * keep all digits.
 */
public final class StoredJson {

	private StoredJson() {
	}

	/**
	 * Returns the mapper of stored values.
	 * @param application the application's mapper, which is not changed
	 */
	public static JsonMapper mapper(JsonMapper application) {
		JsonMapper.Builder mapper = application.rebuild();
		resetFeatures(mapper);
		return mapper.deactivateDefaultTyping()
			.defaultDateFormat(new StdDateFormat())
			.defaultMergeable(null)
			.changeDefaultPropertyInclusion((inclusion) -> JsonInclude.Value.empty())
			.changeDefaultNullHandling((nulls) -> JsonSetter.Value.empty())
			.disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE,
					DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE, DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID)
			.enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
			.disable(EnumFeature.WRITE_ENUMS_USING_TO_STRING, EnumFeature.READ_ENUMS_USING_TO_STRING)
			.enable(JsonNodeFeature.USE_BIG_DECIMAL_FOR_FLOATS)
			.addModule(new SimpleModule("ge-redis-stored-json").addAbstractTypeMapping(Set.class, LinkedHashSet.class))
			.build();
	}

	private static void resetFeatures(JsonMapper.Builder mapper) {
		Arrays.stream(SerializationFeature.values()).forEach((it) -> mapper.configure(it, it.enabledByDefault()));
		Arrays.stream(DeserializationFeature.values()).forEach((it) -> mapper.configure(it, it.enabledByDefault()));
		Arrays.stream(DateTimeFeature.values()).forEach((it) -> mapper.configure(it, it.enabledByDefault()));
		Arrays.stream(EnumFeature.values()).forEach((it) -> mapper.configure(it, it.enabledByDefault()));
		Arrays.stream(JsonNodeFeature.values()).forEach((it) -> mapper.configure(it, it.enabledByDefault()));
		Arrays.stream(StreamReadFeature.values()).forEach((it) -> mapper.configure(it, it.enabledByDefault()));
		Arrays.stream(StreamWriteFeature.values()).forEach((it) -> mapper.configure(it, it.enabledByDefault()));
		Arrays.stream(JsonReadFeature.values()).forEach((it) -> mapper.configure(it, it.enabledByDefault()));
		Arrays.stream(JsonWriteFeature.values()).forEach((it) -> mapper.configure(it, it.enabledByDefault()));
	}

}
