// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances of the sample with one database and one Redis.
 */
abstract class TwoDesks {

	static Desk other;

	Desk desk;

	@BeforeAll
	static void startOther() {
		SharedDesk.fresh(Database.H2);
		other = Desk.start(SharedDesk.properties(Database.H2));
	}

	@AfterAll
	static void stopOther() {
		other.close();
	}

	@BeforeEach
	void setUp() {
		this.desk = SharedDesk.fresh(Database.H2);
	}

	static void assertProblem(Answer answer, int status) {
		assertThat(answer).returns(status, Answer::status)
			.returns("application/problem+json", (problem) -> problem.header("Content-Type"));
	}

}
