// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A real browser without a window. Tests are skipped where there is no Chromium with its
 * driver on the path.
 */
final class Browser implements AutoCloseable {

	private static final Path SCREENSHOTS = Path.of("target", "screenshots");

	private static final int[] WIDTHS = { 390, 820, 1440 };

	private final ChromeDriver driver;

	private Browser(ChromeDriver driver) {
		this.driver = driver;
	}

	static Browser start() throws IOException {
		File chromium = find("chromium", "chromium-browser", "google-chrome");
		File chromedriver = find("chromedriver");
		Assumptions.assumeTrue(chromium != null && chromedriver != null,
				"Pages are not tried: there is no chromium with a chromedriver on the path");
		Files.createDirectories(SCREENSHOTS);
		LoggingPreferences console = new LoggingPreferences();
		console.enable(LogType.BROWSER, Level.SEVERE);
		ChromeOptions options = new ChromeOptions();
		options.setBinary(chromium);
		options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
				"--no-first-run", "--hide-scrollbars", "--disable-background-networking");
		options.setCapability("goog:loggingPrefs", console);
		return new Browser(new ChromeDriver(
				new ChromeDriverService.Builder().usingDriverExecutable(chromedriver).build(), options));
	}

	private static @Nullable File find(String... names) {
		String[] directories = Objects.requireNonNullElse(System.getenv("PATH"), "").split(File.pathSeparator);
		return Stream.of(names)
			.flatMap((name) -> Stream.of(directories).map((directory) -> new File(directory, name)))
			.filter(File::canExecute)
			.findFirst()
			.orElse(null);
	}

	ChromeDriver driver() {
		return this.driver;
	}

	WebElement element(String selector) {
		return this.driver.findElement(By.cssSelector(selector));
	}

	List<WebElement> elements(String selector) {
		return this.driver.findElements(By.cssSelector(selector));
	}

	Object script(String script, Object... arguments) {
		return Objects.requireNonNullElse(this.driver.executeScript(script, arguments), "");
	}

	void forgetCookies() {
		this.driver.executeCdpCommand("Network.clearBrowserCookies", Map.of());
	}

	void resize(int width) {
		this.driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", width < 820));
	}

	void colours(String colours) {
		this.driver.executeCdpCommand("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colours))));
	}

	/**
	 * Takes pictures of a page at each width and in both sets of colours. It must fit.
	 * @param scrollers a selector of elements that could scroll sideways and must not
	 */
	void capture(String name, String scrollers) {
		script("window.scrollTo(0, 0)");
		for (int width : WIDTHS) {
			resize(width);
			assertThat(script("return document.documentElement.scrollWidth")).as("width " + width)
				.isEqualTo((long) width);
			assertThat(script(
					"return [...document.querySelectorAll(arguments[0])]"
							+ ".filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.className)",
					scrollers))
				.as("cut at width " + width)
				.isEqualTo(List.of());
			for (String colours : List.of("light", "dark")) {
				colours(colours);
				Object height = script("return document.documentElement.scrollHeight");
				Map<String, Object> picture = this.driver.executeCdpCommand("Page.captureScreenshot",
						Map.of("captureBeyondViewport", true, "clip",
								Map.of("x", 0, "y", 0, "width", width, "height", height, "scale", 1)));
				write(name + "-" + width + "-" + colours + ".png", picture.get("data").toString());
			}
		}
	}

	private static void write(String file, String base64) {
		try {
			Files.write(SCREENSHOTS.resolve(file), Base64.getDecoder().decode(base64));
		}
		catch (IOException ex) {
			throw new IllegalStateException(file, ex);
		}
	}

	/**
	 * Errors of scripts and policies. The browser also lists refused calls, which are
	 * what the pages are for.
	 */
	List<String> errors() {
		return this.driver.manage()
			.logs()
			.get(LogType.BROWSER)
			.getAll()
			.stream()
			.map(Object::toString)
			.filter((line) -> !line.contains("Failed to load resource"))
			.toList();
	}

	@Override
	public void close() {
		this.driver.quit();
	}

}
