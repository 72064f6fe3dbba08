// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import io.ge.redis.idempotency.IdempotencyInFlightException;
import io.ge.redis.readme.MigrationExamples.Customer;
import io.ge.redis.readme.RecipeExamples.Agents;
import io.ge.redis.readme.RecipeExamples.Billing;
import io.ge.redis.readme.RecipeExamples.Invoices;
import io.ge.redis.readme.RecipeExamples.Logins;
import io.ge.redis.readme.RecipeExamples.Payments;
import io.ge.redis.readme.RecipeExamples.Webhooks;
import io.ge.redis.test.PageSettings;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.junit.jupiter.SpringExtension;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The recipes do what their page says, with the yml of that page, in one application.
 */
@Wide
@ExtendWith(SpringExtension.class)
@DirtiesContext
@SpringBootTest(properties = { "spring.datasource.url=jdbc:h2:mem:recipes",
		"spring.sql.init.schema-locations=classpath:db/ge-redis/h2/R__ge_idempotency.sql,classpath:io/ge/redis/readme/recipes.sql" })
@ContextConfiguration(initializers = RecipeExamplesIntegrationTests.Settings.class)
@AutoConfigureMockMvc
class RecipeExamplesIntegrationTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private JdbcTemplate jdbc;

	@DynamicPropertySource
	static void redis(DynamicPropertyRegistry registry) {
		SharedRedis.standalone().flushAll();
		for (String property : SharedRedis.properties()) {
			int equals = property.indexOf('=');
			registry.add(property.substring(0, equals), () -> property.substring(equals + 1));
		}
	}

	@AfterAll
	static void leaveNothingPermanent() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void guessesOfPasswordsAreRefused() {
		for (int i = 0; i < 5; i++) {
			assertThat(login("anna", "guess")).hasStatus(HttpStatus.UNAUTHORIZED);
		}
		assertThat(login("anna", "secret")).hasStatus(HttpStatus.TOO_MANY_REQUESTS)
			.bodyJson()
			.extractingPath("$.violated-policies")
			.asArray()
			.containsExactly("login");
		for (int i = 0; i < 4; i++) {
			assertThat(login("boris", "guess")).hasStatus(HttpStatus.UNAUTHORIZED);
		}
		assertThat(login("boris", "secret")).hasStatusOk();
		await().until(() -> login("boris", "guess").getResponse().getStatus() == HttpStatus.UNAUTHORIZED.value());
		for (int i = 0; i < 20; i++) {
			login("guest-" + i, "guess");
		}
		assertThat(login("carl", "secret")).hasStatus(HttpStatus.TOO_MANY_REQUESTS)
			.bodyJson()
			.extractingPath("$.violated-policies")
			.asArray()
			.containsExactly("login-address");
	}

	@Test
	void repeatedWebhookIsHandledOnce(@Autowired Webhooks webhooks) {
		this.jdbc.update("insert into purchase (id) values ('o-1')");
		for (int i = 0; i < 2; i++) {
			assertThat(post("/webhooks/orders", "X-Event-Id", "e-1", "{\"order\":\"o-1\"}"))
				.hasStatus(HttpStatus.ACCEPTED);
		}
		await().until(() -> paid("o-1") > 0);
		await().ignoreExceptionsInstanceOf(IdempotencyInFlightException.class).until(() -> {
			webhooks.handle(new Webhooks.Event("e-1", "o-1"));
			return true;
		});
		assertThat(paid("o-1")).isOne();
	}

	@Test
	void nightlyJobBillsOnce(@Autowired Billing billing, @Autowired Invoices invoices) {
		this.jdbc.update("insert into purchase (id) values ('o-2')");
		billing.billAll();
		this.jdbc.update("insert into purchase (id) values ('o-3')");
		billing.billAll();
		invoices.bill("o-2");
		assertThat(this.jdbc.queryForList("select purchase from invoice", String.class)).contains("o-2")
			.doesNotContain("o-3")
			.doesNotHaveDuplicates();
	}

	@Test
	void repeatedPaymentIsReplayed() {
		this.jdbc.update("insert into account (id, cents) values ('a-1', 500)");
		MvcTestResult first = pay("p-1", 300);
		assertThat(first).hasStatus(HttpStatus.CREATED);
		assertThat(pay("p-1", 300)).hasStatus(HttpStatus.CREATED).hasHeader("Idempotent-Replayed", "true");
		assertThat(pay("p-1", 200)).hasStatus(HttpStatus.UNPROCESSABLE_CONTENT);
		assertThat(pay("p-2", 300)).hasStatus(HttpStatus.PAYMENT_REQUIRED);
		assertThat(pay("p-2", 300)).hasStatus(HttpStatus.PAYMENT_REQUIRED).hasHeader("Idempotent-Replayed", "true");
		assertThat(this.jdbc.queryForObject("select cents from account where id = 'a-1'", Integer.class))
			.isEqualTo(200);
	}

	@Test
	void triggeredAgentPublishesItsResult(@Autowired Agents agents) {
		assertThat(agents.trigger("core", "planner", "GE-42").isDuplicate()).isFalse();
		assertThat(agents.trigger("core", "planner", "GE-42").isDuplicate()).isTrue();
		await().until(() -> agents.completed().contains("GE-42"));
		assertThat(agents.completed()).hasSize(1);
	}

	@Test
	void migratedCacheFollowsTheDatabase(@Autowired MigrationExamples customers) {
		this.jdbc.update("insert into customer (id, name) values ('c-1', 'Anna')");
		customers.find("c-1");
		customers.rename("c-1", "Anne");
		assertThat(customers.find("c-1")).contains(new Customer("c-1", "Anne"));
		assertThat(customers.loads()).isOne();
		customers.remove("c-1");
		assertThat(customers.find("c-1")).isEmpty();
	}

	private MvcTestResult login(String user, String password) {
		return post("/api/login", "X-Any", "x", "{\"user\":\"" + user + "\",\"password\":\"" + password + "\"}");
	}

	private MvcTestResult pay(String key, int cents) {
		return post("/api/accounts/a-1/payments", "Idempotency-Key", "\"" + key + "\"", "{\"cents\":" + cents + "}");
	}

	private MvcTestResult post(String uri, String header, String value, String body) {
		return this.mvc.post()
			.uri(uri)
			.header(header, value)
			.contentType(MediaType.APPLICATION_JSON)
			.content(body)
			.exchange();
	}

	private int paid(String order) {
		return this.jdbc.queryForObject("select paid from purchase where id = ?", Integer.class, order);
	}

	static class Settings implements ApplicationContextInitializer<ConfigurableApplicationContext> {

		@Override
		public void initialize(ConfigurableApplicationContext context) {
			PageSettings.every("recipes").initialize(context);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Logins.class, Webhooks.class, Billing.class, Invoices.class, Payments.class, Agents.class,
			MigrationExamples.class })
	static class Application {

		@Bean
		SecurityFilterChain open(HttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable())
				.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.build();
		}

	}

}
