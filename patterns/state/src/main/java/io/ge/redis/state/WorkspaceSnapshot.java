// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Fields as they were at one version of a workspace. Each is read from JSON on access.
 *
 * @param version the version of the workspace, 0 if there is none
 * @param fields the existing fields, by name
 * @param mapper reads them; ignored by {@code equals}
 */
public record WorkspaceSnapshot(long version, Map<String, Field> fields, JsonMapper mapper) {

	public WorkspaceSnapshot {
		fields = Map.copyOf(fields);
	}

	/** Returns the version of the last change of a field, 0 if it does not exist. */
	public long version(String field) {
		Field found = this.fields.get(field);
		return (found != null) ? found.version() : 0;
	}

	/**
	 * Returns a field as it was written, byte for byte where a hash holds it.
	 * @return the JSON, a list as an array, or {@code null} if the field does not exist
	 */
	public @Nullable String json(String field) {
		Field found = this.fields.get(field);
		return (found != null) ? found.json() : null;
	}

	/**
	 * Returns the value of a field.
	 * @return the value, or {@code null} if the field does not exist or is null
	 * @throws IllegalArgumentException if it cannot be read as the type
	 */
	public <T> @Nullable T get(String field, Class<T> type) {
		return read(field, this.mapper.constructType(type));
	}

	/**
	 * Returns the entries of a list, the oldest first.
	 * @return the entries, none if the field does not exist
	 * @throws IllegalArgumentException if they cannot be read as the type
	 */
	public <T> List<T> list(String field, Class<T> type) {
		List<T> entries = read(field, this.mapper.getTypeFactory().constructCollectionType(List.class, type));
		return (entries != null) ? entries : List.of();
	}

	private <T> @Nullable T read(String field, JavaType type) {
		String json = json(field);
		try {
			return (json != null) ? this.mapper.readValue(json, type) : null;
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException(
					"Field '" + field + "' cannot be read as " + type.toCanonical() + ": " + ex.getOriginalMessage(),
					ex);
		}
	}

	/** Returns all fields as one object. */
	public ObjectNode toJson() {
		ObjectNode all = JsonNodeFactory.instance.objectNode();
		this.fields.keySet().stream().sorted().forEach((name) -> all.set(name, get(name, JsonNode.class)));
		return all;
	}

	// Regardless of the mapper
	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof WorkspaceSnapshot snapshot && this.version == snapshot.version
				&& this.fields.equals(snapshot.fields);
	}

	@Override
	public int hashCode() {
		return 31 * Long.hashCode(this.version) + this.fields.hashCode();
	}

	@Override
	public String toString() {
		return "WorkspaceSnapshot of version " + this.version + " with " + this.fields.size() + " fields";
	}

	/** The JSON of a field, and the version of its last change. */
	public record Field(long version, String json) {
	}

}
