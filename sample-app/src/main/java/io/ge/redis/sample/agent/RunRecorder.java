// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.agent;

import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.web.server.ResponseStatusException;

/**
 * Records when runs begin and end, so that anyone can check that no two overlap.
 */
@Repository
class RunRecorder {

	private final JdbcClient jdbc;

	RunRecorder(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * Records that a run begins. A lock alone cannot protect a resource: a process that
	 * stood still for longer than its lease believes that it holds the lock when another
	 * has long taken over. The resource can tell, because it has seen the other's greater
	 * token.
	 */
	void enter(String agent, long fencingToken) {
		int inserted = this.jdbc.sql("""
				insert into run_steps (agent, fencing_token, step)
				select :agent, :token, 'enter'
				where not exists (select 1 from run_steps where agent = :agent and fencing_token >= :token)""")
			.param("agent", agent)
			.param("token", fencingToken)
			.update();
		if (inserted == 0) {
			throw new ResponseStatusException(HttpStatus.CONFLICT, "A later run has begun");
		}
	}

	void leave(String agent, long fencingToken) {
		this.jdbc.sql("insert into run_steps (agent, fencing_token, step) values (:agent, :token, 'leave')")
			.param("agent", agent)
			.param("token", fencingToken)
			.update();
	}

}
