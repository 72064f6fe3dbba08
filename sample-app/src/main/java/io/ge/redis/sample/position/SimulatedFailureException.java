// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.position;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/**
 * Stands for whatever may go wrong in the middle of a sale; a 500 over HTTP.
 */
class SimulatedFailureException extends ErrorResponseException {

	SimulatedFailureException() {
		super(HttpStatus.INTERNAL_SERVER_ERROR,
				ProblemDetail.forStatusAndDetail(HttpStatus.INTERNAL_SERVER_ERROR, "Failed as asked"), null);
	}

}
