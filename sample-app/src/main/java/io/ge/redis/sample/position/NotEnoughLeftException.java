// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.position;

import java.net.URI;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/**
 * More was to be sold than is left; a 409 over HTTP.
 */
class NotEnoughLeftException extends ErrorResponseException {

	NotEnoughLeftException() {
		super(HttpStatus.CONFLICT, problem(), null);
	}

	private static ProblemDetail problem() {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT,
				"The position holds less than was to be sold");
		problem.setType(URI.create("https://desk.example/problems/not-enough-left"));
		problem.setTitle("Not enough left");
		return problem;
	}

}
