/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency.record;

import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonProperty.Access;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ResolvableType;

import static org.assertj.core.api.Assertions.assertThat;

class JsonResultCodecTests {

	private final ResultCodec codec = new ResultCodecs(JsonMapper::shared, () -> 0, List::of, () -> 1024)
		.forValue("sell", ResolvableType.forClassWithGenerics(List.class, Item.class));

	@Test
	void resultThatReadsBackAsSomethingElseIsLostAlsoIfAnEarlierOneDidNot() {
		assertThat(this.codec.record(new ArrayList<>())).isInstanceOf(Recording.Stored.class);
		assertThat(this.codec.record(new ArrayList<>(List.of(new Item("1"))))).isInstanceOf(Recording.Lost.class);
	}

	record Item(@JsonProperty(access = Access.READ_ONLY) String text) {
	}

}
