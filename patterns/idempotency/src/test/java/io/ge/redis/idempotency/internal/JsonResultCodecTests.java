// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.text.SimpleDateFormat;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonProperty.Access;
import io.ge.redis.idempotency.spi.Recording;
import io.ge.redis.idempotency.spi.ResultCodec;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ResolvableType;

import static org.assertj.core.api.Assertions.assertThat;

class JsonResultCodecTests {

	private final ResultCodec codec = codec(JsonMapper.shared(),
			ResolvableType.forClassWithGenerics(List.class, Item.class));

	private static ResultCodec codec(JsonMapper application, ResolvableType type) {
		return new ResultCodecs(() -> application, () -> 0, List::of, () -> 1024).forValue("sell", type);
	}

	@Test
	void resultThatReadsBackAsSomethingElseIsLostAlsoIfAnEarlierOneDidNot() {
		assertThat(this.codec.record(new ArrayList<>())).isInstanceOf(Recording.Stored.class);
		assertThat(this.codec.record(new ArrayList<>(List.of(new Item("1"))))).isInstanceOf(Recording.Lost.class);
	}

	@Test
	void settingsThatChangeValuesDoNotApply() {
		JsonMapper application = JsonMapper.builder().defaultDateFormat(new SimpleDateFormat("yyyyMMdd")).build();
		ResultCodec dates = codec(application, ResolvableType.forClass(Date.class));
		assertThat(dates.record(new Date(1))).isInstanceOfSatisfying(Recording.Stored.class,
				(stored) -> assertThat(dates.replay(stored.bytes())).isEqualTo(new Date(1)));
	}

	record Item(@JsonProperty(access = Access.READ_ONLY) String text) {
	}

}
