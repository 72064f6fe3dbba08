// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.session;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.ge.redis.sample.Inputs;
import io.ge.redis.state.Workspace;
import io.ge.redis.state.WorkspaceSnapshot;
import io.ge.redis.state.Workspaces;
import io.ge.redis.state.WriteResult;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.util.RawValue;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Sessions that many agents write at the same time, each a workspace.
 */
@RestController
@RequestMapping("/api/sessions/{id}")
class SessionController {

	/** The field that is a list, and only appended to. */
	private static final String HISTORY = "history";

	/** Small enough for a {@code long}. */
	private static final Pattern VERSION = Pattern.compile("\"(\\d{1,18})\"");

	private final Workspaces workspaces;

	SessionController(Workspaces workspaces) {
		this.workspaces = workspaces;
	}

	/**
	 * However many agents say something at once, nothing of it is lost and nobody waits.
	 * Who says something is a member of the session for a while.
	 */
	@PostMapping("/history")
	Changed say(@PathVariable String id, @RequestBody Entry entry) {
		return new Changed(Inputs.checked(() -> session(id).by(entry.agent()).append(HISTORY, entry)));
	}

	/**
	 * With the version that the caller has read, the field is only set if nobody has
	 * changed it meanwhile, else the answer is a 412 with the version that it has.
	 * Version 0 stands for a field that does not exist.
	 */
	@PutMapping("/fields/{field}")
	Changed put(@PathVariable String id, @PathVariable String field, @RequestBody JsonNode value,
			@RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch) {
		if (field.equals(HISTORY)) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"The history is no field to be set: POST an entry to /api/sessions/{id}/history");
		}
		if (ifMatch == null) {
			return new Changed(Inputs.checked(() -> session(id).put(field, value)));
		}
		long expected = version(ifMatch);
		WriteResult result = Inputs.checked(() -> session(id).compareAndSet(field, expected, value));
		if (!result.applied()) {
			throw new OtherVersionException(result.version());
		}
		return new Changed(result.version());
	}

	private static long version(String ifMatch) {
		Matcher matcher = VERSION.matcher(ifMatch);
		if (!matcher.matches()) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"If-Match must be the version of the field in quotes, such as \"7\"");
		}
		return Long.parseLong(matcher.group(1));
	}

	@GetMapping
	SessionAnswer get(@PathVariable String id) {
		Workspace session = Inputs.checked(() -> session(id));
		WorkspaceSnapshot snapshot = session.snapshot();
		if (snapshot.version() == 0) {
			throw new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no such session");
		}
		Map<String, RawValue> fields = new TreeMap<>();
		snapshot.fields().forEach((name, field) -> fields.put(name, new RawValue(field.json())));
		RawValue history = fields.remove(HISTORY);
		return new SessionAnswer(snapshot.version(), fields, Objects.requireNonNullElse(history, new RawValue("[]")),
				session.members());
	}

	private Workspace session(String id) {
		return this.workspaces.open("session", id);
	}

	/**
	 * Something that an agent says.
	 */
	record Entry(String agent, String text) {

		Entry {
			Inputs.requireText("agent", agent);
			Inputs.requireText("text", text);
		}

	}

	/**
	 * A change that was made.
	 *
	 * @param version the version that the session and the field got by it
	 */
	record Changed(long version) {

	}

	/**
	 * A session at one version.
	 *
	 * @param version the version
	 * @param fields the fields by name, byte for byte as they were written
	 * @param history what was said, the oldest entry first
	 * @param members the agents that have said something lately
	 */
	record SessionAnswer(long version, Map<String, RawValue> fields, RawValue history, List<String> members) {

	}

}
