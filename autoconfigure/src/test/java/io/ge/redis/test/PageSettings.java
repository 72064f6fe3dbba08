// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The settings that a page shows, as an application that copies them has them.
 */
public final class PageSettings {

	private PageSettings() {
	}

	/**
	 * Gives an application the first yml of each page.
	 * @param pages names of pages, such as {@code streams}, or {@code README}
	 */
	public static ApplicationContextInitializer<ConfigurableApplicationContext> of(String... pages) {
		return (context) -> {
			for (String page : pages) {
				add(page, context);
			}
		};
	}

	private static void add(String page, ConfigurableApplicationContext context) {
		try {
			Matcher block = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
				.matcher(Files
					.readString(Sources.ROOT.resolve(page.equals("README") ? "README.md" : "docs/" + page + ".md")));
			assertThat(block.find()).as(page).isTrue();
			new YamlPropertySourceLoader()
				.load(page, new ByteArrayResource(block.group(1).getBytes(StandardCharsets.UTF_8)))
				.forEach(context.getEnvironment().getPropertySources()::addLast);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Gives an application every yml of a page.
	 * @param page the name of a page, such as {@code recipes}
	 */
	public static ApplicationContextInitializer<ConfigurableApplicationContext> every(String page) {
		return (context) -> {
			try {
				Matcher block = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
					.matcher(Files.readString(Sources.ROOT.resolve("docs/" + page + ".md")));
				while (block.find()) {
					new YamlPropertySourceLoader()
						.load(page + block.start(),
								new ByteArrayResource(block.group(1).getBytes(StandardCharsets.UTF_8)))
						.forEach(context.getEnvironment().getPropertySources()::addLast);
				}
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		};
	}

}
