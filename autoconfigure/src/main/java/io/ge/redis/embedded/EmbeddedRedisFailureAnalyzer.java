// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.embedded;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Names the property to set when the embedded Redis does not start.
 */
class EmbeddedRedisFailureAnalyzer extends AbstractFailureAnalyzer<EmbeddedRedisStartException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, EmbeddedRedisStartException cause) {
		return new FailureAnalysis(cause.getMessage(), cause.getRemedy(), cause);
	}

}
