// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.wallet;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/**
 * Stands for whatever may roll a change back after it was made; a 409 over HTTP.
 */
class SimulatedRollbackException extends ErrorResponseException {

	SimulatedRollbackException() {
		super(HttpStatus.CONFLICT, ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, "Rolled back as asked"), null);
	}

}
