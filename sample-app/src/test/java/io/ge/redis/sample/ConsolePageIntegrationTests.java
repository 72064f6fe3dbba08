// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the console with write access, in a real browser on a desk at work.
 */
@Wide
class ConsolePageIntegrationTests {

	private static final Duration SOON = Duration.ofSeconds(40);

	private static final String MARKUP = "<img src=x>";

	private static final String CLEAR = "[data-key^=clear]";

	private static final String HIT = "hit";

	private static @Nullable Desk desk;

	private static @Nullable Browser browser;

	@BeforeAll
	static void start() throws IOException {
		browser = Browser.start();
		desk = Desk.start(List.of("management.endpoint.geredis.access=unrestricted",
				"ge.redis.outage.command-timeout=2s", "ge.redis.console.docs=https://docs.example.com/{page}.html",
				"spring.datasource.url=jdbc:h2:mem:console;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;LOCK_TIMEOUT=10000;DB_CLOSE_DELAY=-1"));
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
		browser().resize(1440);
		browser().colours("light");
		browser().driver().get("about:blank");
		browser().driver().get(desk().url("/actuator/geredis/console"));
		await(() -> heading().equals("Guards"));
	}

	@AfterEach
	void policyIsKeptAndNothingFails() {
		assertThat(browser().errors()).isEmpty();
	}

	@Test
	void limitIsChangedAndRestored() {
		go("Limits");
		act("change tasks", Map.of("limit", "2"));
		assertThat(statuses("limited", 3)).containsExactly(202, 202, 429);
		await(() -> row("change tasks").contains("2 endpoint"));
		act("restore tasks", Map.of());
		assertThat(statuses("restored", 3)).containsExactly(202, 202, 202);
	}

	@Test
	void keyOfALimitIsBlockedAndUnblocked() {
		go("Limits");
		act("key tasks", Map.of("action", "block", "key", "blocked", "duration", "10m"));
		assertThat(statuses("blocked", 1)).containsExactly(429);
		act("unblock tasks", Map.of());
		assertThat(statuses("blocked", 1)).containsExactly(202);
	}

	@Test
	void keyThatIsDeniedMostIsResetBesideIt() {
		// Often enough to be the first one in the table
		assertThat(statuses("denied", 25)).endsWith(429);
		go("Limits");
		await(() -> !browser().elements("[data-key^='reset tasks']").isEmpty());
		act("reset tasks", Map.of());
		assertThat(statuses("denied", 1)).containsExactly(202);
	}

	@Test
	void rowsAreFilteredAndSorted() {
		go("Limits");
		List<String> names = names();
		assertThat(names).contains("guesses", "tasks").hasSizeGreaterThan(2);
		browser().element("#filter").sendKeys("TASK");
		await(() -> names().equals(List.of("tasks")));
		assertThat(text("#matches")).matches("\\d+ of \\d+ rows");
		// Also after the page has drawn itself anew
		browser().script("redraw()");
		assertThat(names()).containsExactly("tasks");
		browser().element("#filter").clear();
		String sort = "[data-key^='sort'][data-key$='Limit']";
		press(sort);
		press(sort);
		await(() -> browser().element("[aria-sort]").getDomAttribute("aria-sort").equals("descending"));
		browser().script("sieve()");
		assertThat(names()).isEqualTo(names.stream().sorted(Comparator.reverseOrder()).toList());
	}

	/** The names in the first table of the page. */
	private static List<String> names() {
		return browser().elements("#content .scroll:first-of-type .name")
			.stream()
			.filter(WebElement::isDisplayed)
			.map(WebElement::getText)
			.toList();
	}

	@Test
	void numbersAndTimesAreSortedByTheirSize() {
		assertThat(browser()
			.script("return ['1,234', '≥ 12', '12 of 100', '2 min 3 s', '1.5 h', 'tasks', '.', '.5'].map(rank)"))
			.isEqualTo(List.of(1234L, 12L, 12L, 123L, 5400L, "tasks", ".", ".5"));
	}

	@Test
	void addressThatCannotBeDecodedLeadsToTheOverview() {
		go("Locks");
		browser().script("location.hash = '#%'");
		await(() -> heading().equals("Guards"));
	}

	@Test
	void everySectionLinksToItsPage() {
		assertThat(browser().element("#docs").getDomAttribute("href"))
			.isEqualTo("https://docs.example.com/observability.html");
		go("Locks");
		assertThat(browser().element("#docs").getDomAttribute("href")).isEqualTo("https://docs.example.com/locks.html");
	}

	@Test
	void themeIsRememberedUntilItIsTheOneOfTheSystem() {
		String light = background();
		theme("dark");
		String dark = background();
		assertThat(dark).isNotEqualTo(light);
		browser().driver().navigate().refresh();
		await(() -> heading().equals("Guards"));
		assertThat(background()).isEqualTo(dark);
		theme("");
		assertThat(background()).isEqualTo(light);
		browser().colours("dark");
		assertThat(background()).isEqualTo(dark);
	}

	private static void theme(String theme) {
		browser().script("const select = document.getElementById('theme'); select.value = arguments[0]; "
				+ "select.dispatchEvent(new Event('change'))", theme);
	}

	private static String background() {
		return browser().element("body").getCssValue("background-color");
	}

	@Test
	void tilesHaveATrendAndAnAge() {
		statuses("trend", 11);
		await(() -> tile("Refused calls").matches("(?s).*\\+\\d+ in \\d+ s, now"));
		assertThat(tile("Outages")).matches("(?s)Outages\\s+0\\s+unchanged for \\d+ s, now");
		browser().element("#pause").click();
		await(() -> tile("Outages").matches("(?s).*, \\d+ s ago"));
	}

	private static String tile(String title) {
		return browser()
			.script("return [...document.querySelectorAll('.tiles a')].find((tile) => "
					+ "tile.innerText.startsWith(arguments[0])).innerText", title)
			.toString();
	}

	@Test
	void lockIsReleasedWhileItsHolderWorks() {
		CompletableFuture<Answer> run = CompletableFuture
			.supplyAsync(() -> desk().post("/api/agents/console/run?millis=9000", null));
		go("Locks");
		await(() -> !browser().elements("button.danger").isEmpty());
		assertThat(text("#content")).contains("agent-execution", "token ").doesNotContain("console");
		act("release", Map.of());
		Answer other = desk().post("/api/agents/console/run?millis=0", null);
		assertThat(run).isNotDone();
		assertThat(other.status()).isEqualTo(200);
		assertThat(run.join().status()).isEqualTo(200);
	}

	@Test
	void keyOfAnOperationIsCleared() {
		assertThat(sell().status()).isEqualTo(201);
		String left = desk().get("/api/positions/p-2").text("quantity");
		go("Idempotency");
		await(() -> !browser().elements(CLEAR).isEmpty());
		for (int keys = browser().elements(CLEAR).size(); keys > 0; keys--) {
			int listed = keys - 1;
			act("clear", Map.of());
			await(() -> browser().elements(CLEAR).size() == listed);
		}
		assertThat(text("#content")).contains("free");
		// The row of the sale proves it, so that clearing its key does not sell again
		assertThat(sell().status()).isEqualTo(201);
		assertThat(desk().get("/api/positions/p-2").text("quantity")).isEqualTo(left);
	}

	private static Answer sell() {
		return desk().post("/api/positions/p-2/sell", "{\"quantity\":0.1}", "Idempotency-Key", "console");
	}

	@Test
	void entriesOfACacheAreInvalidated() {
		String balance = "/api/wallets/w-2/balances/SOL";
		desk().get(balance);
		assertThat(desk().get(balance).header("X-Cache")).isEqualTo(HIT);
		go("Caches");
		act("invalidate balances", Map.of("all", "on"));
		assertThat(desk().get(balance).header("X-Cache")).isNotEqualTo(HIT);
	}

	@Test
	void deadLetterIsReplayedAndItsTextIsNeverMarkup() {
		desk().post("/api/triggers/core/coder", "{\"workItem\":\"" + MARKUP
				+ "\",\"context\":{\"project\":\"console\"},\"triggeredBy\":\"console\",\"reason\":\"poison\"}");
		go("Streams");
		String show = "[data-key='letters triggers']";
		await(() -> !browser().elements(show).isEmpty());
		press(show);
		await(() -> !replayOf(MARKUP).isEmpty());
		String replay = replayOf(MARKUP);
		press("summary[data-key^='more letter']");
		assertThat(browser().elements("img")).isEmpty();
		act(replay, Map.of());
		await(() -> !replayOf(MARKUP).isEmpty() && !replayOf(MARKUP).equals(replay));
	}

	private static String replayOf(String workItem) {
		return browser()
			.script("return [...document.querySelectorAll('[data-key^=replay]')].find((button) => "
					+ "button.closest('tr').innerText.includes(arguments[0]))?.dataset.key", workItem)
			.toString();
	}

	@Test
	void consumerIsPausedAndResumed() {
		go("Consumers");
		String pause = "switch work";
		act(pause, Map.of());
		await(() -> row(pause).contains("paused"));
		String job = desk().post("/api/jobs", "{\"type\":\"report\",\"payload\":1,\"priority\":5}").text("id");
		go("Queues");
		await(() -> row("cancel work").contains("oldest"));
		go("Consumers");
		act(pause, Map.of());
		await(() -> desk().get("/api/jobs/" + job).text("status").equals("done"));
	}

	@Test
	void deadLetterOfAQueueIsReplayed() {
		desk().post("/api/jobs", "{\"type\":\"poison\",\"payload\":1,\"priority\":5}");
		go("Queues");
		String show = "[data-key='letters work']";
		await(() -> !browser().elements(show).isEmpty());
		press(show);
		await(() -> text("#content").contains("after 3 attempts"));
		assertThat(text("#content")).contains("failed", "poison");
		String letter = browser().element("[data-key^=replay]").getDomAttribute("data-key");
		act(letter, Map.of());
		await(() -> browser().elements("[data-key='" + letter + "']").isEmpty());
	}

	@Test
	void checksOfTokensHaveARowAndOneNameIsCountedOnce() {
		desk().get("/api/me", "Authorization", "Bearer " + desk().login("anna"));
		desk().get("/api/wallets/w-2/balances/SOL");
		await(() -> text("#content").contains("checks of tokens by Spring Security"));
		assertThat(text("#content")).contains("counted with");
		assertThat(text(".tiles")).contains("Outages", "Refused calls", "Lost locks", "Unread messages",
				"Dead letters");
	}

	@Test
	void figuresThatAreNotFromNowAreDimmedWithoutAGreenBadge() {
		try (Desk stopping = Desk
			.start(List.of("spring.datasource.url=jdbc:h2:mem:stopped;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE"))) {
			browser().driver().get(stopping.url("/actuator/geredis/console"));
			await(() -> !text("#connections .good").isEmpty());
		}
		await(() -> text("#age").matches("Figures are \\d+ s old"));
		assertThat(browser().elements("body.stale")).isNotEmpty();
		assertThat(text("#error")).contains("does not answer");
		assertThat(browser().element("#connections .good").isDisplayed()).isFalse();
	}

	@Test
	void hungRedisLeavesASectionWithoutAGreenBadge() {
		go("Streams");
		desk().post("/api/live/redis/hang", null);
		// Not up to four seconds later, when Redis may answer in time
		browser().script("tick()");
		await(() -> text("#error").contains("Redis did not answer"));
		assertThat(text("#error")).doesNotContain("executed");
		assertThat(browser().elements("#connections .good:not([hidden])")).isEmpty();
		await(() -> text("#error").isEmpty());
	}

	@Test
	void subjectIsRevoked() {
		String token = desk().login("anna");
		go("Blacklist");
		act("blacklist",
				Map.of("action", "revoke", "kind", "subject", "value", "anna", "issuer", "https://desk.example"));
		assertThat(desk().get("/api/me", "Authorization", "Bearer " + token).status()).isEqualTo(401);
	}

	@Test
	void mistakeIsNamedAndKeepsTheQuestion() {
		go("Limits");
		press("[data-key='change tasks']");
		browser().element("dialog [name=window]").sendKeys("soon" + Keys.ENTER);
		await(() -> !text("dialog [role=alert]").isEmpty());
		browser().element("dialog [name=window]").sendKeys(Keys.ESCAPE);
		assertThat(browser().element("dialog").isDisplayed()).isFalse();
	}

	@Test
	void keyboardIsEnough() {
		button("go rate-limit").sendKeys(Keys.ENTER);
		await(() -> heading().equals("Limits"));
		button("change tasks").sendKeys(Keys.ENTER);
		assertThat(browser().driver().switchTo().activeElement().getDomAttribute("name")).isEqualTo("limit");
		browser().driver().switchTo().activeElement().sendKeys(Keys.ESCAPE);
		assertThat(browser().driver().switchTo().activeElement().getDomAttribute("data-key")).isEqualTo("change tasks");
		// After the page has drawn itself anew too
		statuses("keyboard", 11);
		button("more settings limit tasks").sendKeys(Keys.ENTER);
		await(() -> text("#content").contains("SLIDING_WINDOW"));
	}

	@Test
	void fitsOnEveryScreen() {
		for (String path : List.of("/api/wallets/w-1/balances/SOL", "/api/positions/p-1", "/api/leaderboard?top=3")) {
			desk().get(path);
			desk().get(path);
		}
		desk().post("/api/positions/p-4/sell", "{\"quantity\":0.1}", "Idempotency-Key", "picture");
		statuses("picture", 14);
		desk().post("/api/triggers/web/coder",
				"{\"workItem\":\"a work item with a long name that has to break somewhere\",\"context\":{\"project\":\"picture\"},"
						+ "\"triggeredBy\":\"console\",\"reason\":\"poison\"}");
		CompletableFuture<Answer> run = CompletableFuture
			.supplyAsync(() -> desk().post("/api/agents/picture/run?millis=9000", null));
		for (String section : List.of("Locks", "Guards", "Limits", "Idempotency", "Caches", "Blacklist", "Streams",
				"Queues", "Broadcasts", "Consumers")) {
			browser().resize(1440);
			go(section);

			if (section.equals("Streams")) {
				press("[data-key^=letters]");
				await(() -> !browser().elements("[data-key^=replay]").isEmpty());
			}
			browser().capture("console-" + section.toLowerCase(), ".scroll");
		}
		run.join();
		browser().resize(390);
		go("Limits");
		press("[data-key='key tasks']");
		browser().capture("console-dialog", "dialog");
	}

	private static List<Integer> statuses(String agent, int calls) {
		return IntStream.range(0, calls)
			.mapToObj((call) -> desk()
				.post("/api/agents/" + agent + "/tasks", "{\"workItemId\":\"w-" + call + "\",\"payload\":{}}")
				.status())
			.toList();
	}

	/**
	 * Opens a section, which the page then asks for.
	 */
	private static void go(String section) {
		await(() -> {
			browser().driver().findElement(By.linkText(section)).sendKeys(Keys.ENTER);
			return true;
		});
		await(() -> heading().equals(section));
	}

	/**
	 * Clicks a button, answers its question, and waits until the page says what was done.
	 */
	private static void act(String key, Map<String, String> values) {
		browser().script("document.getElementById('done').textContent = ''");
		press("[data-key^='" + key + "']");
		WebElement dialog = browser().element("dialog");
		values.forEach((name, value) -> {
			WebElement field = dialog.findElement(By.name(name));
			if ("checkbox".equals(field.getDomAttribute("type"))) {
				field.click();
			}
			else {
				field.sendKeys(value);
			}
		});
		dialog.findElement(By.cssSelector("button.primary")).click();
		await(() -> !dialog.isDisplayed() && !text("#done").isEmpty());
	}

	/** In one step, as the page may draw its buttons anew at any time. */
	private static void press(String selector) {
		browser().script("document.querySelector(arguments[0]).click()", selector);
	}

	private static WebElement button(String key) {
		return browser().element("[data-key='" + key + "']");
	}

	private static String row(String key) {
		return browser().script("return arguments[0].closest('tr').innerText", button(key)).toString();
	}

	private static String heading() {
		return text("#content h2");
	}

	private static String text(String selector) {
		return browser().script("return document.querySelector(arguments[0])?.innerText", selector).toString();
	}

	/**
	 * Waits for a condition. The page may draw an element anew while it is looked at.
	 */
	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(SOON).ignoreExceptionsInstanceOf(WebDriverException.class).until(condition);
	}

	private static Browser browser() {
		return Objects.requireNonNull(browser);
	}

	private static Desk desk() {
		return Objects.requireNonNull(desk);
	}

}
