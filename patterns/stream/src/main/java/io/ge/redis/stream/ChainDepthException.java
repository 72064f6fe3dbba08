// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;

/**
 * A message was not published, because messages have caused messages more often than the
 * definition allows. Over HTTP a 422.
 */
public class ChainDepthException extends GeRedisException {

	public ChainDepthException(String stream, int depth) {
		super("A message to stream '" + stream + "' has the depth " + depth + " in its chain, more than"
				+ " ge.redis.stream.definitions." + stream + ".max-chain-depth. Look for listeners that trigger one"
				+ " another", false);
	}

	@Override
	public Refusal refusal() {
		return Refusal.of(422, "chain-too-deep", "Chain of triggers is too deep",
				"Work has caused work more often than allowed. Nothing was published.");
	}

}
