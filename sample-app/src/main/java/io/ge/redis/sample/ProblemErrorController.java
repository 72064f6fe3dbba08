// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * Gives the errors that never reach a controller, such as a path that the firewall
 * refuses, the same form as all others.
 */
@RestController
class ProblemErrorController implements ErrorController {

	@RequestMapping("/error")
	ProblemDetail error(HttpServletRequest request) {
		ProblemDetail problem = ProblemDetail.forStatus(status(request));
		if (request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI) instanceof String path) {
			problem.setInstance(UriComponentsBuilder.fromPath(path).build().encode().toUri());
		}
		return problem;
	}

	private static HttpStatus status(HttpServletRequest request) {
		Object code = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
		return (code instanceof Integer status) ? HttpStatus.valueOf(status) : HttpStatus.NOT_FOUND;
	}

}
