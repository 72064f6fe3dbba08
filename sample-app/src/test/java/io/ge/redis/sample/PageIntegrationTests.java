// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

/**
 * Tests for the live page in a real browser.
 */
@Wide
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PageIntegrationTests {

	private static final Duration SOON = Duration.ofSeconds(40);

	private static @Nullable Desk desk;

	private static @Nullable Browser browser;

	@BeforeAll
	static void start() throws IOException {
		browser = Browser.start();
		// A database of its own, as others in this JVM share the usual one
		desk = Desk.start(List.of("ge.redis.outage.command-timeout=1s",
				"spring.datasource.url=jdbc:h2:mem:page;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;LOCK_TIMEOUT=10000;DB_CLOSE_DELAY=-1"));
	}

	@AfterAll
	static void stop() {
		if (browser != null) {
			browser.close();
		}
		if (desk != null) {
			desk.close();
		}
	}

	@BeforeEach
	void open() {
		browser().resize(1280);
		browser().colours("light");
		// A session of a former test would be loaded with each request, also while Redis
		// hangs
		browser().forgetCookies();
		browser().driver().get(desk().url("/"));
		browser().script("localStorage.clear()");
		browser().driver().navigate().refresh();
		Awaitility.await().atMost(SOON).until(() -> text("#feed").equals("Live") && text("#redis").equals("Redis up"));
	}

	@AfterEach
	void consoleHasNoErrors() {
		assertThat(browser().errors()).isEmpty();
	}

	@ParameterizedTest
	@Order(1)
	@CsvSource(delimiter = '|', textBlock = """
			burst      | 10 admitted, 20 refused\\. Retry in \\d+ s\\.
			burstOther | 10 admitted, 20 refused\\. Retry in \\d+ s\\.
			guess      | 5 passwords checked, 3 guesses refused unchecked\\.
			race       | While one ran, the other got 409\\. Tokens: \\d+, then \\d+\\.
			value      | Price [\\d.]+; the row keeps the token \\d+\\.
			sell       | 100 before, 99\\.5 after\\. Both calls have the same answer\\.
			sellOther  | Another amount with the same key: 422\\.
			sellFail   | 99 before, 99 after the failure, 98\\.5 after the retry\\.
			rollback   | Balance 100 before and 100 after: nothing of the 1000 is left\\.
			write      | Balance 101\\.5, version 1, from the cache\\.
			revoke     | The same token: 200 before the logout, 401 after it\\.
			refresh    | Both calls got the same successor\\.
			sessions   | anna has \\d+ sessions\\. This browser has one of them\\.
			everywhere | Nobody is logged in\\.
			twice      | Duplicate: true\\. Handled once\\.
			job        | The job is done after 1 attempt\\.
			badJob     | The job is failed after 3 attempts\\.
			halt       | Halted: 5 of 5 triggers wait in the stream\\.
			resume     | Resumed\\. No trigger of this page waited\\.
			append     | 2 entries by \\w+ and \\w+\\.
			stale      | Version \\d+ was replaced once; the second write based on it got 412\\.
			complete   | 1\\. alpha \\(2\\) +2\\. beta \\(1\\)
			state      | alpha is working on w-.+
			visit      | 1 different visitors in seven days\\.
			mail       | Sent: true, then false\\.
			near       | berlin \\d+ km, paris \\d+ km
			""")
	void cardDoesWhatItSays(String action, String result) {
		assertThat(click(action)).matches(result);
		assertThat(card(action).findElements(By.cssSelector(".log li"))).isNotEmpty();
	}

	@Test
	void secondBurstIsRefusedAndAnotherAgentIsNot() {
		click("burst");
		assertThat(click("burst")).startsWith("0 admitted, 30 refused.");
		assertThat(click("burstOther")).startsWith("10 admitted, 20 refused.");
	}

	@Test
	void poisonEndsAsDeadLetterAndIsReplayed() {
		assertThat(button("replay").isEnabled()).isFalse();
		assertThat(click("poison")).matches("Dead letter after 3 deliveries: .*poison.*");
		assertThat(click("replay")).matches("Dead letter after 3 deliveries: .*poison.*");
	}

	@Test
	void logoutEverywhereEndsTheSessionOfThePage() {
		click("sessions");
		assertThat(click("everywhere")).matches("Ended \\d+ sessions\\. The next call got 401\\.");
	}

	@Test
	void triggersThatWaitedAreCountedAfterResuming() {
		assertThat(click("halt")).isEqualTo("Halted: 5 of 5 triggers wait in the stream.");
		assertThat(click("resume")).isEqualTo("Resumed: 5 of 5 triggers were handled.");
	}

	@Test
	void guessesLeaveTheLoginsOfThePageAlone() {
		for (int i = 0; i < 4; i++) {
			click("guess");
		}
		assertThat(click("revoke")).isEqualTo("The same token: 200 before the logout, 401 after it.");
	}

	@Test
	void chartsMove() {
		click("burst");
		Awaitility.await()
			.atMost(SOON)
			.until(() -> browser()
				.script("return document.querySelectorAll('.charts figure:first-child path:not([d=\"\"])').length"),
					(admittedAndRefused) -> admittedAndRefused.equals(2L));
	}

	@Test
	void cardsWithoutACallSayThatAndShowTheirCode() {
		assertThat(browser().elements(".card > .result")).hasSize(13)
			.allSatisfy((result) -> assertThat(result.getText()).isEqualTo("No calls yet"));
		WebElement code = card("race").findElement(By.cssSelector(".code"));
		assertThat(code.findElement(By.tagName("pre")).isDisplayed()).isFalse();
		code.findElement(By.tagName("summary")).sendKeys(Keys.ENTER);
		assertThat(code.findElement(By.tagName("pre")).getText()).contains("@DistributedLock", "@FencingToken");
	}

	@Test
	void secondInstanceIsStartedByTheCommandOfThePage() {
		assertThat(text("#instances")).isEqualTo("Instance 1 of 1");
		browser().element("#instances").click();
		String command = text("#another pre");
		assertThat(command)
			.startsWith("mvn -pl sample-app -am spring-boot:run -Dspring-boot.run.arguments=\"--server.port=");
		String redis = command.replaceAll(".*--(spring\\.data\\.redis\\.port=\\d+)\"", "$1");
		try (Desk second = Desk
			.start(List.of(redis, "spring.datasource.url=jdbc:h2:mem:second;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE"))) {
			Awaitility.await().atMost(SOON).until(() -> text("#instances").matches("Instance [12] of 2"));
			assertThat(second.get("/api/system/status").status()).isEqualTo(200);
		}
		Awaitility.await().atMost(SOON).until(() -> text("#instances").equals("Instance 1 of 1"));
	}

	@Test
	void keyboardIsEnough() {
		WebElement button = button("visit");
		button.sendKeys(Keys.ENTER);
		Awaitility.await().atMost(SOON).until(() -> result("visit").endsWith("in seven days."));
		WebElement answer = card("visit").findElement(By.cssSelector(".log summary"));
		answer.sendKeys(Keys.ENTER);
		assertThat(card("visit").findElement(By.cssSelector(".curl")).getText()).startsWith("curl -i -X GET");
	}

	@Test
	void answersAreTextAndNeverMarkup() {
		for (int i = 0; i < 20; i++) {
			desk().post("/api/agents/%3Cimg%20src=x%3E/completions", null);
		}
		assertThat(click("complete")).contains("<img src=x>");
		assertThat(browser().elements("img")).isEmpty();
	}

	@Test
	void policyRefusesScriptsInThePage() {
		browser().script("const script = document.createElement('script'); script.textContent = 'window.planted = 1'; "
				+ "document.body.append(script)");
		assertThat(browser().script("return String(window.planted)")).isEqualTo("undefined");
		assertThat(browser().errors()).singleElement(STRING).contains("Content Security Policy");
	}

	@Test
	void coloursFollowTheSystemUntilSomebodyChooses() {
		String light = background();
		browser().colours("dark");
		String dark = background();
		assertThat(dark).isNotEqualTo(light);
		WebElement toggle = browser().element("#theme");
		toggle.click();
		assertThat(background()).isEqualTo(light);
		assertThat(toggle.getDomAttribute("aria-label")).contains("dark");
		browser().driver().navigate().refresh();
		assertThat(background()).isEqualTo(light);
	}

	private String background() {
		return browser().element("html").getCssValue("background-color");
	}

	@Test
	void hangingRedisShowsWhatEachPatternAnswers() {
		assertThat(click("hang"))
			.matches("Redis hung for five seconds\\. Meanwhile, the slowest call took \\d+ ms in the server\\.");
		assertThat(browser().elements("#outage tbody tr:first-child .cells"))
			.allSatisfy((phase) -> assertThat(phase.findElements(By.cssSelector(".probe"))).isNotEmpty());
		// The outage ends with the next answer of Redis
		Awaitility.await()
			.atMost(SOON)
			.until(() -> browser().elements(".charts .phases"),
					(all) -> all.size() == 5 && all.stream().allMatch((phases) -> phases.getText().endsWith("after")));
		assertThat(text(".charts .phases").split("\\s+")).containsExactly("before", "hang", "after");
		assertThat(browser().elements(".charts path.hang:not([d=''])")).hasSize(5);
		assertThat(answers("Rate limit")).containsOnly("202");
		assertThat(answers("Cache, read")).containsOnly("200");
		assertThat(answers("Cache, write")).containsOnly("200");
		for (String refused : List.of("Lock", "Idempotency", "Stream", "Job queue", "Leaderboard")) {
			assertThat(answers(refused)).as(refused).contains("503");
		}
		assertThat(answers("Lock")).startsWith("200").endsWith("200");
		assertThat(answers("Idempotency")).startsWith("201").endsWith("201");
		browser().capture("hang", ".probes, .charts figure");
	}

	private static List<String> answers(String pattern) {
		return browser().driver()
			.findElement(By.xpath("//tr[th='" + pattern + "']"))
			.findElements(By.cssSelector(".status"))
			.stream()
			.map(WebElement::getText)
			.toList();
	}

	/**
	 * One after the other within the five seconds, so each has to end at once.
	 */
	@Test
	void refusedFirstStepEndsItsCardAndNothingIsClaimed() {
		desk().post("/api/live/redis/hang", null);
		for (String action : List.of("race", "sell", "sellFail", "poison", "twice", "job", "halt", "append", "complete",
				"visit", "sessions")) {
			assertThat(click(action)).as(action).matches("(GET|POST|PUT) /api/\\S+ got 503: .+");
		}
		assertThat(click("burstOther")).matches("[1-9]\\d* admitted, [1-9]\\d* refused\\. Retry in \\d+ s\\.");
		Awaitility.await().atMost(SOON).until(() -> text("#redis").equals("Redis up"));
	}

	@Test
	void stoppedServerIsSaidOnEveryCardAndDimsTheFigures() {
		try (Desk stopping = Desk
			.start(List.of("spring.datasource.url=jdbc:h2:mem:stopping;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE"))) {
			browser().driver().get(stopping.url("/"));
			Awaitility.await().atMost(SOON).until(() -> text("#redis").equals("Redis up"));
		}
		Awaitility.await().atMost(SOON).until(() -> text("#feed").matches("No figures for \\d+ s"));
		assertThat(text("#redis")).isEqualTo("Redis unknown");
		assertThat(browser().elements(".charts.stale")).isNotEmpty();
		for (WebElement button : browser().elements("[data-do]:not(:disabled)")) {
			assertThat(click(button.getDomAttribute("data-do"))).as(button.getText())
				.contains("got no answer. Does the application run?")
				.doesNotContain("undefined");
		}
	}

	@Test
	void consoleCanLookAndNotAct() {
		browser().driver().get(desk().url("/actuator/geredis/console#rate-limit"));
		Awaitility.await().atMost(SOON).until(() -> browser().elements("#content .name").size() > 1);
		assertThat(text("#access")).isEqualTo("read only");
		assertThat(browser().elements("#content td button")).isEmpty();
	}

	@Test
	void fitsOnEveryScreen() {
		List<WebElement> cards = browser().elements(".card");
		assertThat(cards).hasSize(13);
		for (WebElement card : cards) {
			click(card.findElement(By.tagName("button")).getDomAttribute("data-do"));
		}
		click("resume");
		card("burst").findElement(By.cssSelector(".log summary")).sendKeys(Keys.ENTER);
		card("guess").findElement(By.cssSelector(".code summary")).sendKeys(Keys.ENTER);
		browser().capture("page", ".probes, .charts figure");
	}

	/**
	 * Clicks a button and waits for what it has to say.
	 */
	private static String click(String action) {
		WebElement button = button(action);
		browser().script("arguments[0].scrollIntoView({block: 'center'})", button);
		button.click();
		Awaitility.await().atMost(SOON).until(() -> card(action).getDomAttribute("aria-busy") == null);
		return result(action);
	}

	private static String result(String action) {
		return card(action).findElement(By.cssSelector(".result")).getText();
	}

	private static WebElement button(String action) {
		return browser().element("[data-do=" + action + "]");
	}

	private static WebElement card(String action) {
		return button(action).findElement(By.xpath("ancestor::*[self::article or self::section][1]"));
	}

	private static String text(String selector) {
		return browser().element(selector).getText();
	}

	private static Browser browser() {
		return Objects.requireNonNull(browser);
	}

	private static Desk desk() {
		return Objects.requireNonNull(desk);
	}

}
