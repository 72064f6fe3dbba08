// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.script;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.ge.redis.core.structure.Arguments;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.util.Assert;
import org.springframework.util.StringUtils;

/**
 * A Lua script of the application. It has the keys of one entity in {@code KEYS}, in the
 * order of their names, and the arguments of a call in {@code ARGV}.
 * {@code renew(KEYS[1])} counts the TTL of a key anew. A text that names another key
 * itself is refused.
 *
 * @param name the name in messages and in the tag of {@code ge.redis.script}
 * @param reply {@code Boolean}, {@code Long}, {@code String}, or {@code List} of
 * {@code Long} and {@code String}
 * @param keys the names of the keys, from 1 to 16
 */
public record EntityScript<T>(String name, String text, Class<T> reply, List<String> keys) {

	/** The replies of scripts that do not run. */
	private static final Map<Class<?>, Object> NOTHING = Map.of(Boolean.class, false, Long.class, 0L, String.class, "",
			List.class, List.of());

	/** Text behind the name of a command, unless in capitals, or with a colon inside. */
	private static final Pattern OTHER_KEY = Pattern
		.compile("redis\\.p?call\\(\\s*['\"]\\w+['\"]\\s*,\\s*['\"](?![A-Z]+['\"])[^'\"]*['\"]"
				+ "|['\"][\\w.{}-]*:[\\w.:{}-]+['\"]");

	public EntityScript {
		keys = List.copyOf(keys);
		keys.forEach((key) -> Arguments.name("key", key));
		String place = "Entity script '" + name + "' ";
		Assert.isTrue(!keys.isEmpty() && keys.size() <= 16 && Set.copyOf(keys).size() == keys.size(),
				place + "must have from 1 to 16 different keys, has " + keys);
		Assert.isTrue(NOTHING.containsKey(reply),
				place + "cannot reply with " + reply.getName() + ". Use Boolean, Long, String or List");
		String code = text.replaceAll("--[^\n]*", "");
		Matcher other = OTHER_KEY.matcher(code);
		if (other.find()) {
			throw new IllegalArgumentException(place + "names another key in line "
					+ code.substring(0, other.start()).split("\n", -1).length + ": " + other.group() + ". Add it to "
					+ keys + " and write KEYS[n], or pass other text as an argument");
		}
	}

	/**
	 * Reads a script, which has the name of the file.
	 * @param location a file in the class path such as {@code agents/activate.lua}, or
	 * another location that Spring knows
	 * @throws IllegalArgumentException if it cannot be read or is refused
	 */
	public static <T> EntityScript<T> of(String location, Class<T> reply, String... keys) {
		try {
			String text = new DefaultResourceLoader().getResource(location).getContentAsString(StandardCharsets.UTF_8);
			String file = String.valueOf(StringUtils.getFilename(location));
			return new EntityScript<>(StringUtils.stripFilenameExtension(file), text, reply, List.of(keys));
		}
		catch (IOException ex) {
			throw new IllegalArgumentException("Cannot read the entity script '" + location
					+ "'. Name a file of the class path, such as agents/activate.lua", ex);
		}
	}

	@Nullable Object nothing() {
		return NOTHING.get(this.reply);
	}

}
