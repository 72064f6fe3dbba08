// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.session;

import java.net.URI;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/**
 * The field has another version than the caller has read; a 412 over HTTP.
 */
class OtherVersionException extends ErrorResponseException {

	OtherVersionException(long version) {
		super(HttpStatus.PRECONDITION_FAILED, problem(version), null);
	}

	private static ProblemDetail problem(long version) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.PRECONDITION_FAILED,
				"The field was changed by someone else. It has version " + version);
		problem.setType(URI.create("https://desk.example/problems/other-version"));
		problem.setTitle("Changed by someone else");
		problem.setProperty("version", version);
		return problem;
	}

}
