// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.auth;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.ge.redis.session.Sessions;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;

import org.springframework.http.HttpStatus;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.AuthenticationException;
import org.springframework.session.FindByIndexNameSessionRepository;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Logins of browsers by session, for which the code is that of any servlet.
 */
@RestController
@RequestMapping("/api/sessions")
class BrowserSessionController {

	private static final String PRINCIPAL = FindByIndexNameSessionRepository.PRINCIPAL_NAME_INDEX_NAME;

	private final AuthenticationManager authentication;

	private final Sessions sessions;

	BrowserSessionController(AuthenticationManager authentication, Sessions sessions) {
		this.authentication = authentication;
		this.sessions = sessions;
	}

	@PostMapping("/login")
	Map<String, String> login(@RequestBody LoginController.Login login, HttpServletRequest request) {
		try {
			this.authentication
				.authenticate(UsernamePasswordAuthenticationToken.unauthenticated(login.username(), login.password()));
		}
		catch (AuthenticationException ex) {
			throw new ResponseStatusException(HttpStatus.UNAUTHORIZED, "Unknown user or wrong password", ex);
		}
		if (request.getSession(false) != null) {
			// Nobody who knew the id before is logged in now
			request.changeSessionId();
		}
		request.getSession().setAttribute(PRINCIPAL, login.username());
		return Map.of("username", login.username());
	}

	@GetMapping("/mine")
	List<BrowserSession> mine(HttpServletRequest request) {
		return this.sessions.list(username(request))
			.stream()
			.map((session) -> new BrowserSession(session.id(), session.createdAt(), session.lastAccessedAt()))
			.toList();
	}

	@PostMapping("/logout")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void logout(HttpServletRequest request) {
		username(request);
		request.getSession().invalidate();
	}

	@PostMapping("/logout-everywhere")
	Map<String, Integer> logoutEverywhere(HttpServletRequest request) {
		return Map.of("ended", this.sessions.endAll(username(request)));
	}

	private static String username(HttpServletRequest request) {
		HttpSession session = request.getSession(false);
		Object username = (session != null) ? session.getAttribute(PRINCIPAL) : null;
		if (username == null) {
			throw new ResponseStatusException(HttpStatus.UNAUTHORIZED, "No session is logged in");
		}
		return username.toString();
	}

	record BrowserSession(String id, Instant createdAt, Instant lastAccessedAt) {
	}

}
