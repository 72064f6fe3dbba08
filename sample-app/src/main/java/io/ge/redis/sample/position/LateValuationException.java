// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.position;

import java.net.URI;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/**
 * A later holder of the lock has written already; a 409 over HTTP.
 */
class LateValuationException extends ErrorResponseException {

	LateValuationException() {
		super(HttpStatus.CONFLICT, problem(), null);
	}

	private static ProblemDetail problem() {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT,
				"The position was valued by someone else, since this one took too long");
		problem.setType(URI.create("https://desk.example/problems/late-valuation"));
		problem.setTitle("Valued by someone else");
		return problem;
	}

}
