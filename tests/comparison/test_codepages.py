"""Tables of letters are told by the words of a file, and the usual one is left only on evidence."""

from __future__ import annotations

import pytest

from uneven.comparison.codepages import codepage
from uneven.comparison.tables import read_table

WORDS = [
    ("cp1250", "miasto;imię\nŁódź;Zażółć gęślą jaźń\nKraków;Małgorzata"),
    ("cp1250", "Kraków;Wrocław;Poznań;Gdańsk;Łódź"),
    ("cp1250", "město;počet\nOstrava;12\nDěčín;5\nÚstí nad Labem;4"),
    ("cp1250", "Košice;Prešov;Banská Bystrica;Žilina;Trenčín;muž;žena"),
    ("cp1250", "név;összeg\nSzőke;12\nTóth;3\nfűző"),
    ("cp1250", "Marić;Kovačević;Đurić;Žagar"),
    ("cp1250", "Timişoara;Iaşi;Constanţa;Bucureşti"),
    ("cp1251", "Москва;Санкт-Петербург\nда;нет"),
    ("cp1253", "Αθήνα;Θεσσαλονίκη;Πάτρα"),
    ("cp1254", "Şanlıurfa;Ağrı;Iğdır;İstanbul;Muğla;kadın;hayır"),
    ("cp1252", "Köln;München;größe;straße"),
    ("cp1252", "São Paulo;João;Conceição"),
    ("cp1252", "niño;España;México;año"),
    ("cp1252", "crème;très;Genève;œuvre;Noël"),
    ("cp1252", "Ørsted;Ærø;København"),
    ("cp1252", "Malmö;Göteborg;Örebro;Åre"),
    ("cp1252", "città;perché;più;così"),
    ("cp1252", "Reykjavík;Akureyri;Þór;Guðrún"),
    ("cp1252", "Côte d’Ivoire;Réunion;Åland;Curaçao"),
    ("cp1252", "20 m³;5 cm²;£5;12 °C;½;3 µg;±5;§ 5"),
    ("cp1252", "“quoted” – text’s"),
]


@pytest.mark.parametrize(("name", "text"), WORDS)
def test_words_tell_the_table(name, text):
    assert codepage(text.encode(name)) == name


def test_a_table_of_central_europe_is_read_and_said_and_can_be_overruled(tmp_path):
    path = tmp_path / "towns.csv"
    path.write_bytes("miasto,x\nŁódź,1\nWrocław,2\nPoznań,3\nGdańsk,4\n".encode("cp1250"))
    frame = read_table(path)
    assert frame["miasto"].tolist() == ["Łódź", "Wrocław", "Poznań", "Gdańsk"]
    assert "encoding cp1250 (--encoding to change it)" in frame.attrs["uneven"]["notes"][0]
    assert read_table(path, encoding="cp1252")["miasto"][0] == "£ódŸ"
