// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.supplier;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/**
 * A supplier has failed; a 502 over HTTP.
 */
class SupplierFailedException extends ErrorResponseException {

	SupplierFailedException(String name) {
		super(HttpStatus.BAD_GATEWAY,
				ProblemDetail.forStatusAndDetail(HttpStatus.BAD_GATEWAY, "Supplier " + name + " has failed"), null);
	}

}
