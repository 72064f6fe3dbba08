// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.FencingToken;

import org.springframework.transaction.annotation.Transactional;

class AgentRunner {

	private final Ledger ledger = new Ledger();

	@DistributedLock(name = "agent-execution", key = "#agent", waitTime = "2s")
	@Transactional
	public void run(String agent, @FencingToken long token) {
		this.ledger.append(agent, token);
	}

	public List<Long> tokens() {
		return this.ledger.tokens;
	}

	private static final class Ledger {

		private final List<Long> tokens = new CopyOnWriteArrayList<>();

		void append(String agent, long token) {
			this.tokens.add(token);
		}

	}

}
