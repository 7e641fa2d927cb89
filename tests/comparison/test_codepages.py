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
    ("cp1252", "it’s;don’t;we’re;O’Neill;“so what”;„nein“;5–7;«oui»"),
    ("cp1252", "Škoda;Citroën;Audi;Mercedes"),
    ("cp1252", "Dvorák;Žižek;Šibenik"),
    ("cp1252", "€ 5;£5.20;12 °C;3 µg;½ l;© 2020;5 m²"),
    ("cp1252", "Österreich;Übung;Ärzte"),
    ("cp1252", "été;où;à"),
    ("cp1254", "şehir;evet;hayır\nİstanbul;Ağrı;Muğla;Iğdır"),
    ("cp1255", "עיר;מחיר\nתל אביב;חיפה;ירושלים;כן;לא"),
    ("cp1256", "مدينة;القاهرة;دبي;نعم;لا;الرياض"),
    ("cp1257", "miestas;Šiauliai;Panevėžys;Klaipėda;Marijampolė;Mažeikiai;Jonava;taip;Ąžuolų"),
    ("cp1257", "Rīga;Jūrmala;Ventspils;Rēzekne;Jēkabpils;jā;nē"),
    ("cp874", "เมือง;กรุงเทพ;เชียงใหม่;ใช่;ไม่ใช่"),
    ("mac_roman", "schön;trüb;heiß;größe;Köln"),
    ("mac_roman", "élève;très;garçon;où;Noël;à"),
    ("cp850", "schön;trüb;heiß;größe;Köln"),
    ("cp850", "grün"),
    ("cp850", "élève;très;garçon;où;Noël;à"),
    ("cp852", "Łódź;Kraków;Gdańsk;Wrocław;imię"),
    ("cp866", "Москва;Санкт-Петербург;да;нет;город"),
    ("koi8_r", "Москва;Санкт-Петербург;да;нет;город"),
    ("cp932", "都市,価格,日付\n東京,1,200円,2020年1月5日\n大阪,980円"),
    ("cp932", "データ,テスト,ソフト表,はい,いいえ"),
    ("gb18030", "城市,价格,是否\n北京,1200元,是\n上海,980元,否\n广州"),
    ("cp949", "도시,가격,예\n서울,1200원,예\n부산,980원,아니오"),
    ("big5", "城市,價格,是否\n臺北,1200元,是\n高雄,980元,否"),
]


@pytest.mark.parametrize(("name", "text"), WORDS)
def test_words_tell_the_table(name, text):
    data = text.encode(name)
    assert data.decode(codepage(data)) == text


def test_a_table_of_central_europe_is_read_and_said_and_can_be_overruled(tmp_path):
    path = tmp_path / "towns.csv"
    path.write_bytes("miasto,x\nŁódź,1\nWrocław,2\nPoznań,3\nGdańsk,4\n".encode("cp1250"))
    frame = read_table(path)
    assert frame["miasto"].tolist() == ["Łódź", "Wrocław", "Poznań", "Gdańsk"]
    assert "encoding cp1250 (--encoding to change it)" in frame.attrs["uneven"]["notes"][0]
    assert read_table(path, encoding="cp1252")["miasto"][0] == "£ódŸ"
