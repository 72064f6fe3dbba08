// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.trigger;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;

import io.ge.redis.core.consume.ConsumerProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The work that was done, once per agent and item.
 */
@Repository
class CompletedWork {

	private final JdbcClient jdbc;

	private final String instance;

	CompletedWork(JdbcClient jdbc, ConsumerProperties consumer) {
		this.jdbc = jdbc;
		this.instance = consumer.consumerName();
	}

	/**
	 * Adds an item, unless it is there.
	 */
	void add(String workItem, String agent, int attempts) {
		this.jdbc.sql("""
				insert into completed_work (agent, work_item, attempts, instance, completed_at)
				values (:agent, :workItem, :attempts, :instance, current_timestamp)
				on conflict do nothing""")
			.param("agent", agent)
			.param("workItem", workItem)
			.param("attempts", attempts)
			.param("instance", this.instance)
			.update();
	}

	List<Item> list(@Nullable String agent) {
		return this.jdbc.sql("""
				select work_item, agent, attempts, instance, completed_at from completed_work
				where :agent = '' or agent = :agent order by completed_at, work_item""")
			.param("agent", (agent != null) ? agent : "")
			.query((row, number) -> new Item(row.getString(1), row.getString(2), row.getInt(3), row.getString(4),
					row.getObject(5, OffsetDateTime.class).toInstant()))
			.list();
	}

	record Item(String workItem, String agent, int attempts, String instance, Instant completedAt) {

	}

}
