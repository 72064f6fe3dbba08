// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

import javax.net.ssl.SSLHandshakeException;

import io.ge.redis.OutageCause;
import io.ge.redis.test.Sources;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import redis.clients.jedis.exceptions.JedisDataException;

import org.springframework.data.redis.RedisSystemException;

import static org.assertj.core.api.Assertions.assertThat;

class OutageCauseTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			OOM command not allowed when used memory > 'maxmemory'.                        | OOM
			OOM command not allowed when used memory > 'maxmemory'. script: ab, on @user_script:3. | OOM
			ERR Error running script (call to f_a): @user_script:3: -OOM command not allowed | OOM
			@user_script: 60: -OOM command not allowed when used memory > 'maxmemory'.     | OOM
			READONLY You can't write against a read only replica.                          | READONLY
			LOADING Redis is loading the dataset in memory                                 | LOADING
			MASTERDOWN Link with MASTER is down                                            | LOADING
			CLUSTERDOWN Hash slot not served                                               | CLUSTERDOWN
			BUSY Redis is busy running a script.                                           | BUSY
			NOPERM User default has no permissions                                         | NOPERM
			ERR The user executing the script can't run this command or subcommand         | NOPERM
			NOAUTH Authentication required.                                                | CREDENTIALS
			WRONGPASS invalid username-password pair                                       | CREDENTIALS
			MISCONF Redis is configured to save RDB snapshots                              | MISCONF
			NOREPLICAS Not enough good replicas to write.                                 | MISCONF
			TRYAGAIN Multiple keys request during rehashing of slot                       | TRYAGAIN
			WRONGTYPE Operation against a key holding the wrong kind of value              | ERROR
			""")
	void knowsWhatTheServerSaysWhicheverDriverPassesItOn(String reply, OutageCause cause) {
		assertThat(OutageCauses.of(new RedisCommandExecutionException(reply))).isEqualTo(cause);
		assertThat(OutageCauses.of(new RedisSystemException("Error", new JedisDataException(reply)))).isEqualTo(cause);
		assertThat(OutageCauses.of(new CompletionException(new RedisCommandExecutionException(reply))))
			.isEqualTo(cause);
	}

	@Test
	void connectionThatTheServerRefusesHasTheCauseThatItNames() {
		Throwable loading = new RedisConnectionException("Unable to connect to localhost",
				new RedisCommandExecutionException("LOADING Redis is loading the dataset in memory"));
		assertThat(OutageCauses.of(loading)).isEqualTo(OutageCause.LOADING);
		Throwable timeout = new RedisConnectionException("Unable to connect to localhost", new TimeoutException());
		assertThat(OutageCauses.of(timeout)).isEqualTo(OutageCause.CONNECT_TIMEOUT);
		Throwable untrusted = new RedisConnectionException("Unable to connect to localhost",
				new SSLHandshakeException("PKIX path building failed"));
		assertThat(OutageCauses.of(untrusted)).isEqualTo(OutageCause.TLS);
		Throwable forbidden = new RedisConnectionException("Unable to connect to localhost",
				new RedisCommandExecutionException("NOPERM this user has no permissions to run the 'ping' command"));
		assertThat(OutageCauses.of(forbidden)).isEqualTo(OutageCause.REFUSED);
	}

	/** The tag of a cause, and what to do, are documented. */
	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "ERROR")
	void isDocumentedWithItsHint(OutageCause cause) throws IOException {
		String page = Files.readString(Sources.ROOT.resolve("docs/troubleshooting.md"));
		assertThat(page.replace("`", "").lines().filter((line) -> line.startsWith("| " + cause.tag() + " |")))
			.singleElement()
			.asString()
			.contains(" | " + cause.hint());
	}

	@Test
	void onlyTimeoutsAndLostConnectionsLeaveTheOutcomeUnknown() {
		assertThat(OutageCauses.of(new TimeoutException()).leavesOutcomeUnknown()).isTrue();
		assertThat(OutageCauses.of(new CancellationException()).leavesOutcomeUnknown()).isTrue();
		assertThat(OutageCauses.of(new ClosedChannelException() {
		}).leavesOutcomeUnknown()).isTrue();
		assertThat(OutageCauses.of(new RedisConnectionException("Unable to connect")).leavesOutcomeUnknown()).isFalse();
		assertThat(OutageCauses.of(new RedisCommandExecutionException("OOM")).leavesOutcomeUnknown()).isFalse();
	}

}
